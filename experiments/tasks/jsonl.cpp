// Pairs of prompt and response from a JSON lines file, with the checkpoint's own tokenizer: data to fine-tune
// on. A pair belongs to a split by its prompt, so equal prompts are never in two.
#include <fmt/format.h>

#include <mutex>

#include "core/error.h"
#include "core/registry.h"
#include "experiments/tasks/encode_example.h"
#include "experiments/tasks/permutation.h"
#include "experiments/tasks/prompt_file.h"
#include "experiments/tasks/task.h"

namespace canvaslab {
namespace {

class JsonLines : public Task {
 public:
  struct Config {
    std::string file;
    Split split = Split::kTest;
    std::uint64_t seed = 1;
    std::optional<int> samples = 64;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("file", file,
            {.meaning = "JSON lines with \"prompt\", \"response\" and optionally \"id\", all text"});
      visit_split(visit, split);
      visit("seed", seed, {.meaning = "the order of the training pairs", .minimum = 0});
      visit("samples", samples,
            {.unit = "prompts", .meaning = "how many of the split to take; null: all", .minimum = 1});
    }
  };

  explicit JsonLines(const Config& config) : config_(config) {
    if (config.file.empty()) throw ConfigurationError("file: expected a JSON lines file, got ''");
  }

  std::vector<TaskItem> items(const std::filesystem::path& /*model_folder*/) const override {
    return first_of(filled(config_.split), config_.samples);
  }

  void check_files(const std::filesystem::path& /*model_folder*/) const override {
    check_prompt_file(config_.file);
  }

  // Training goes through all pairs again and again, each time in another order; the other splits are gone
  // through once, as in the file.
  std::optional<TaskItem> example(Split split, std::uint64_t index) const override {
    if (split != Split::kTrain) {
      const std::vector<TaskItem>& pairs = of(split);
      return index < pairs.size() ? std::optional(pairs[index]) : std::nullopt;
    }
    const std::vector<TaskItem>& pairs = filled(split);
    return pairs[permuted(index % pairs.size(), pairs.size(), index / pairs.size(), config_.seed)];
  }

  std::optional<bool> grade(const TaskItem& item, const std::string& answer) const override {
    return answer == item.target;
  }

  void check(const Tokenizer& tokenizer, std::int64_t answer_tokens) const override {
    for (const Split split : {Split::kTrain, Split::kValidation, Split::kTest}) {
      for (const TaskItem& item : of(split)) {
        try {
          encode_example(item, tokenizer, answer_tokens);
        } catch (const ConfigurationError& error) {
          throw ConfigurationError(fmt::format("{}: {}", config_.file, error.what()));
        }
      }
    }
  }

 private:
  // Read when first asked for: a configuration can be looked at without the file.
  const std::vector<TaskItem>& of(Split split) const {
    std::call_once(once_, [this] {
      for (TaskItem& item : read_pairs(config_.file))
        splits_[static_cast<size_t>(split_of("prompt", item.prompt))].push_back(std::move(item));
    });
    return splits_[static_cast<size_t>(split)];
  }

  const std::vector<TaskItem>& filled(Split split) const {
    const std::vector<TaskItem>& pairs = of(split);
    if (pairs.empty()) {
      throw ConfigurationError(
          fmt::format("{}: none of its pairs belongs to the {} split; expected more pairs", config_.file,
                      split_name(split)));
    }
    return pairs;
  }

  Config config_;
  mutable std::once_flag once_;
  mutable std::vector<TaskItem> splits_[3];
};

}  // namespace

CANVASLAB_REGISTER(Task, JsonLines, "jsonl", "pairs of prompt and response to fine-tune on", "");

}  // namespace canvaslab
