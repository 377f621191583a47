// Prompts from a JSON lines file: {"prompt": "...", "target": "...", "id": "..."} a line, the last two
// optional.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "experiments/tasks/task.h"

namespace canvaslab {

// ConfigurationError naming file, line and what was expected. `one_solution` is read as a target too.
std::vector<TaskItem> read_prompts(const std::filesystem::path& file);

// The same of {"prompt": "...", "response": "...", "id": "..."}, of which only the id is optional.
std::vector<TaskItem> read_pairs(const std::filesystem::path& file);

// Before either: ConfigurationError when the file cannot be read.
void check_prompt_file(const std::filesystem::path& file);

// The first `samples` of the items; all of them when that is not set or more than there are.
std::vector<TaskItem> first_of(std::vector<TaskItem> items, std::optional<int> samples);

}  // namespace canvaslab
