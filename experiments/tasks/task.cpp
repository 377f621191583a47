// What a task is unless it says otherwise: no training data, and metrics that need nothing but the target.
#include "experiments/tasks/task.h"

#include <fmt/format.h>

#include "core/error.h"
#include "experiments/tasks/answer_metrics.h"
#include "models/tokenizer/tokenizer.h"

namespace canvaslab {

void Task::check_files(const std::filesystem::path& /*model_folder*/) const {}

Metrics Task::measure(const TaskItem& item, const std::string& answer) const {
  if (item.target.empty()) return {};
  return {exact_match(item.target, answer), token_accuracy(item.target, answer)};
}

Metrics Task::measure_together(const std::vector<TaskAnswer>& /*answers*/) const {
  return {};
}

std::optional<TaskItem> Task::example(Split /*split*/, std::uint64_t /*index*/) const {
  return std::nullopt;
}

void Task::check(const Tokenizer& tokenizer, std::int64_t answer_tokens) const {
  if (canvas_length() && *canvas_length() > answer_tokens) {
    throw ConfigurationError(fmt::format("task: its answers have {} tokens, the sampler generates {}",
                                         *canvas_length(), answer_tokens));
  }
  for (const std::string& symbol : symbols()) {
    if (tokenizer.encode(symbol, /*add_special_tokens=*/false).empty()) {
      throw ConfigurationError(fmt::format(
          "task: its prompts and answers contain '{}', which the tokenizer does not know", symbol));
    }
  }
}

std::vector<TaskItem> first_examples(const Task& task, Split split, int count) {
  std::vector<TaskItem> items;
  while (items.size() < static_cast<size_t>(count)) {
    std::optional<TaskItem> item = task.example(split, items.size());
    if (!item) break;
    items.push_back(std::move(*item));
  }
  return items;
}

}  // namespace canvaslab
