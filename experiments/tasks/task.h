// The config group `task`: what is asked, and whether an answer is right.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace canvaslab {

struct TaskItem {
  std::string id, prompt;
  std::string target;  // one right answer; "" when none is known
};

class Task {
 public:
  virtual ~Task() = default;

  // The prompts, in a fixed order. `model_folder` is where a checkpoint keeps prompts of its own.
  virtual std::vector<TaskItem> items(const std::filesystem::path& model_folder) const = 0;

  // Whether an answer is right; nothing when this task cannot tell.
  virtual std::optional<bool> grade(const TaskItem& item, const std::string& answer) const = 0;
};

}  // namespace canvaslab
