// Goes on with a text: the prompt is a stretch of it (or nothing), the canvas what follows. By characters, or
// by the tokens of a tokenizer. Nothing is right or wrong here; the metrics say how much an answer is like
// the text it was trained on.
#include <fmt/format.h>

#include <mutex>

#include "core/error.h"
#include "core/registry.h"
#include "experiments/tasks/example_random.h"
#include "experiments/tasks/ngram_model.h"
#include "experiments/tasks/readable_file.h"
#include "experiments/tasks/task.h"
#include "experiments/tasks/text_corpus.h"
#include "experiments/tasks/text_metrics.h"
#include "models/tokenizer/tokenizer.h"

namespace canvaslab {
namespace {

constexpr std::int64_t kCharactersAToken = 12;  // reserved; a canvas of longer tokens ends early

class Text : public Task {
 public:
  struct Config {
    std::optional<std::string> file;
    std::optional<std::string> tokenizer;
    int length = 64;
    int context = 32;
    int ngram_order = 5;
    Split split = Split::kTest;
    std::uint64_t seed = 1;
    int samples = 64;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("file", file,
            {.meaning = "UTF-8 text; null: the King James Bible of Debian's package bible-kjv-text"});
      visit("tokenizer", tokenizer, {.meaning = "tokenizer.json whose tokens are counted; null: characters"});
      visit("length", length, {.unit = "tokens", .meaning = "of the canvas", .minimum = 1, .maximum = 65536});
      visit(
          "context", context,
          {.unit = "tokens", .meaning = "of the prompt: what stands before", .minimum = 0, .maximum = 65536});
      visit("ngram_order", ngram_order,
            {.unit = "characters",
             .meaning = "of the n-gram model that judges answers",
             .minimum = 1,
             .maximum = 60});
      visit_split(visit, split);
      visit("seed", seed, {.meaning = "which places of the text are taken", .minimum = 0});
      visit("samples", samples, {.unit = "prompts", .meaning = "how many of them to take", .minimum = 1});
    }
  };

  explicit Text(const Config& config) : config_(config) {}

  std::vector<TaskItem> items(const std::filesystem::path& /*model_folder*/) const override {
    judge();  // its refusals belong before the run
    return first_examples(*this, config_.split, config_.samples);
  }

  void check_files(const std::filesystem::path& /*model_folder*/) const override {
    check_text_file(file());
    if (config_.tokenizer) check_readable(*config_.tokenizer, "the tokenizer");
  }

  std::optional<TaskItem> example(Split split, std::uint64_t index) const override {
    ExampleRandom random(config_.seed, split, index);
    const TextCorpus& corpus = source().corpus;
    const auto& stretches = corpus.stretches(split);
    const TextCorpus::Stretch& stretch =
        stretches[random.below(static_cast<std::uint32_t>(stretches.size()))];
    const std::int64_t first =
        stretch.first + random.below(static_cast<std::uint32_t>(stretch.length - window() + 1));
    TaskItem item{fmt::format("{}-{}", split_name(split), index), "", ""};
    if (config_.tokenizer) {
      cut_tokens(std::string(corpus.text(first, window())), item);
    } else {
      item.prompt = corpus.text(first, config_.context);
      item.target = corpus.text(first + config_.context, config_.length);
    }
    return item;
  }

  std::optional<bool> grade(const TaskItem& /*item*/, const std::string& /*answer*/) const override {
    return std::nullopt;
  }

  Metrics measure(const TaskItem& item, const std::string& answer) const override {
    if (answer.empty()) return {};
    Metrics metrics = text_metrics(answer, judge().dictionary);
    metrics.push_back({"ngram_nats", judge().ngrams.nats_per_character(item.prompt, answer)});
    if (!item.target.empty())
      metrics.push_back({"ngram_nats_target", judge().ngrams.nats_per_character(item.prompt, item.target)});
    return metrics;
  }

  Metrics measure_together(const std::vector<TaskAnswer>& answers) const override {
    std::vector<std::string> texts;
    for (const TaskAnswer& answer : answers) texts.push_back(answer.text);
    return distinct_words(texts, "distinct_{}_of_all");
  }

  std::vector<std::string> symbols() const override {
    return config_.tokenizer ? std::vector<std::string>{} : source().corpus.symbols();
  }

  std::optional<std::int64_t> canvas_length() const override { return config_.length; }
  std::optional<std::int64_t> longest_prompt() const override { return config_.context; }

 private:
  struct Source {
    TextCorpus corpus;
    std::optional<Tokenizer> tokenizer;
  };

  // What the training stretches say of other texts.
  struct Judge {
    std::set<std::string> dictionary;
    NgramModel ngrams;
  };

  std::int64_t window() const {
    return (config_.context + config_.length) * (config_.tokenizer ? kCharactersAToken : 1);
  }

  std::string file() const { return config_.file.value_or(kBibleFile); }

  // Read when first asked for: a configuration can be looked at without the file.
  const Source& source() const {
    std::call_once(source_once_, [this] {
      std::optional<Tokenizer> tokenizer;
      if (config_.tokenizer) tokenizer = Tokenizer::load(*config_.tokenizer);
      source_.reset(new Source{TextCorpus(read_text(file()), window(), file()), std::move(tokenizer)});
    });
    return *source_;
  }

  const Judge& judge() const {
    const TextCorpus& corpus = source().corpus;
    std::call_once(judge_once_, [&] {
      std::vector<std::string_view> texts;
      for (const TextCorpus::Stretch& stretch : corpus.stretches(Split::kTrain))
        texts.push_back(corpus.text(stretch.first, stretch.length));
      std::set<std::string> dictionary;
      for (const std::string_view text : texts) dictionary.merge(std::set<std::string>(words_of(text)));
      judge_.reset(new Judge{std::move(dictionary), NgramModel(config_.ngram_order, texts)});
    });
    return *judge_;
  }

  static std::set<std::string> words_of(std::string_view text) {
    std::vector<std::string> all = words(text);
    return {std::make_move_iterator(all.begin()), std::make_move_iterator(all.end())};
  }

  // Fills prompt and target with the text of as many tokens as they have; one or a few less where a token
  // holds only part of a character or the text alone would be cut into more tokens.
  void cut_tokens(const std::string& text, TaskItem& item) const {
    item.prompt = beginning(text, config_.context);
    item.target = beginning(text.substr(item.prompt.size()), config_.length);
  }

  std::string beginning(const std::string& text, int tokens) const {
    const Tokenizer& tokenizer = *source().tokenizer;
    std::vector<TokenId> ids = tokenizer.encode(text, /*add_special_tokens=*/false);
    for (ids.resize(std::min(ids.size(), static_cast<size_t>(tokens))); !ids.empty(); ids.pop_back()) {
      const std::string part = tokenizer.decode(ids, /*skip_special_tokens=*/true);
      if (text.starts_with(part) && tokenizer.encode(part, false).size() <= static_cast<size_t>(tokens))
        return part;
    }
    return "";
  }

  Config config_;
  mutable std::once_flag source_once_, judge_once_;
  mutable std::unique_ptr<const Source> source_;
  mutable std::unique_ptr<const Judge> judge_;
};

}  // namespace

CANVASLAB_REGISTER(Task, Text, "text", "goes on with a text, by characters or by a tokenizer's tokens", "");

}  // namespace canvaslab
