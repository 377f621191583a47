// Symbols to put in order: "3142" becomes "1234". The splits share out answers (sets of symbols, repeats
// counted), so that no reordering of a training prompt is asked in a test.
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/registry.h"
#include "experiments/tasks/answer_metrics.h"
#include "experiments/tasks/example_random.h"
#include "experiments/tasks/task.h"

namespace canvaslab {
namespace {

enum class Alphabet { kDigits, kLetters };

int inversions(const std::string& text) {
  int count = 0;
  for (size_t i = 0; i < text.size(); ++i)
    for (size_t j = i + 1; j < text.size(); ++j) count += text[i] > text[j] ? 1 : 0;
  return count;
}

class Sorting : public Task {
 public:
  struct Config {
    int length = 8;
    Alphabet alphabet = Alphabet::kDigits;
    bool ties = true;
    Split split = Split::kTest;
    std::uint64_t seed = 1;
    int samples = 64;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("length", length,
            {.unit = "symbols", .meaning = "in a prompt and its answer", .minimum = 2, .maximum = 256});
      visit.choice("alphabet", alphabet, {{"digits", Alphabet::kDigits}, {"letters", Alphabet::kLetters}},
                   {.meaning = "what is put in order: 0 to 9 or a to z"});
      visit("ties", ties, {.meaning = "whether a symbol may come more than once"});
      visit_split(visit, split);
      visit("seed", seed, {.meaning = "which prompts are drawn", .minimum = 0});
      visit("samples", samples, {.unit = "prompts", .meaning = "how many of them to take", .minimum = 1});
    }
  };

  explicit Sorting(const Config& config)
      : config_(config),
        alphabet_(config.alphabet == Alphabet::kDigits ? "0123456789" : "abcdefghijklmnopqrstuvwxyz") {
    // With all symbols or all but one in use there would be too few answers to share out.
    const int most = static_cast<int>(alphabet_.size()) - 2;
    if (!config.ties && config.length > most) {
      throw ConfigurationError(fmt::format("length: expected at most {} of {} symbols without ties, got {}",
                                           most, alphabet_.size(), config.length));
    }
  }

  std::vector<TaskItem> items(const std::filesystem::path& /*model_folder*/) const override {
    return first_examples(*this, config_.split, config_.samples);
  }

  std::optional<TaskItem> example(Split split, std::uint64_t index) const override {
    ExampleRandom random(config_.seed, split, index);
    std::string prompt, sorted;
    do {
      prompt = draw(random);
      sorted = prompt;
      std::sort(sorted.begin(), sorted.end());
    } while (split_of("sorting", sorted) != split);
    const double difficulty = inversions(prompt);
    return TaskItem{fmt::format("{}-{}", split_name(split), index), std::move(prompt), std::move(sorted),
                    difficulty};
  }

  std::optional<bool> grade(const TaskItem& item, const std::string& answer) const override {
    return answer == item.target;
  }

  Metrics measure(const TaskItem& item, const std::string& answer) const override {
    std::string sorted = answer, kept;
    std::sort(sorted.begin(), sorted.end());
    std::set_intersection(sorted.begin(), sorted.end(), item.target.begin(), item.target.end(),
                          std::back_inserter(kept));
    Metrics metrics = Task::measure(item, answer);
    metrics.push_back({"in_order", sorted == answer ? 1.0 : 0.0, MetricKind::kShare});
    metrics.push_back(
        {"symbols_kept", static_cast<double>(kept.size()) / static_cast<double>(item.target.size())});
    return metrics;
  }

  std::string difficulty_unit() const override { return "inversions"; }

  std::vector<std::string> symbols() const override {
    std::vector<std::string> all;
    for (const char symbol : alphabet_) all.emplace_back(1, symbol);
    return all;
  }

  std::optional<std::int64_t> canvas_length() const override { return config_.length; }
  std::optional<std::int64_t> longest_prompt() const override { return config_.length; }

 private:
  std::string draw(ExampleRandom& random) const {
    const auto size = static_cast<std::uint32_t>(alphabet_.size());
    std::string text;
    if (config_.ties) {
      for (int i = 0; i < config_.length; ++i) text += alphabet_[random.below(size)];
    } else {
      text = alphabet_;
      random.shuffle(std::span(text));
      text.resize(static_cast<size_t>(config_.length));
    }
    return text;
  }

  Config config_;
  std::string alphabet_;
};

}  // namespace

CANVASLAB_REGISTER(Task, Sorting, "sorting", "puts digits or letters in order", "");

}  // namespace canvaslab
