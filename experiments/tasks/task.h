// The config group `task`: what is asked, whether an answer is right, and examples to train on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/metrics.h"
#include "experiments/tasks/split.h"

namespace canvaslab {

class Tokenizer;

struct TaskItem {
  std::string id, prompt;
  std::string target;                               // one right answer; "" when none is known
  std::optional<double> difficulty = std::nullopt;  // in the task's difficulty_unit()
};

struct TaskAnswer {
  TaskItem item;
  std::string text;
};

// After construction everything is const and may be called from several threads at once.
class Task {
 public:
  virtual ~Task() = default;

  // The prompts of a run, in a fixed order. `model_folder` is where a checkpoint keeps prompts of its own.
  virtual std::vector<TaskItem> items(const std::filesystem::path& model_folder) const = 0;

  // A look ahead, before a model is loaded: ConfigurationError when a file that items() reads cannot be read.
  // Looks at names only. An empty `model_folder` is not known yet: nothing is looked for there.
  virtual void check_files(const std::filesystem::path& model_folder) const;

  // Whether an answer is right; nothing when this task cannot tell.
  virtual std::optional<bool> grade(const TaskItem& item, const std::string& answer) const = 0;

  // Named numbers of one answer, besides grade(). An answer may lack one that it is too short for.
  virtual Metrics measure(const TaskItem& item, const std::string& answer) const;

  // Named numbers of many answers together: how different they are from each other.
  virtual Metrics measure_together(const std::vector<TaskAnswer>& answers) const;

  // What TaskItem::difficulty counts ("blanks"), or "".
  virtual std::string difficulty_unit() const { return ""; }

  // The index-th example of a split, prompt and target filled in; the same for the same configuration, split
  // and index, whatever was asked before. The training split never ends; the others give nothing past their
  // last example, and a task without training data gives nothing at all.
  virtual std::optional<TaskItem> example(Split split, std::uint64_t index) const;

  // The characters that prompts and targets are made of, in a fixed order, for a tokenizer made for the task
  // (character_tokenizer.h). Empty: the task takes a checkpoint's tokenizer.
  virtual std::vector<std::string> symbols() const { return {}; }

  // Tokens of the longest target, and of the longest prompt without special tokens; nothing when that depends
  // on the checkpoint.
  virtual std::optional<std::int64_t> canvas_length() const { return std::nullopt; }
  virtual std::optional<std::int64_t> longest_prompt() const { return std::nullopt; }

  // Before anything starts: ConfigurationError when the task does not fit a tokenizer and the number of
  // tokens that an answer may have. The usual check looks at canvas_length() and at symbols().
  virtual void check(const Tokenizer& tokenizer, std::int64_t answer_tokens) const;
};

// The first `count` examples of a split; fewer when it ends before.
std::vector<TaskItem> first_examples(const Task& task, Split split, int count);

}  // namespace canvaslab
