#include "experiments/tasks/prompt_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/nearest.h"
#include "experiments/tasks/readable_file.h"

namespace canvaslab {
namespace {

// How the keys of a kind of file are called.
struct Keys {
  std::vector<std::string> known;    // "prompt", "id" and those of the target
  std::vector<std::string> targets;  // each stands for the target
  bool target_needed;
};

const Keys kPromptKeys{{"prompt", "target", "one_solution", "id"}, {"target", "one_solution"}, false};
const Keys kPairKeys{{"prompt", "response", "id"}, {"response"}, true};

TaskItem parse(const std::string& line, const std::string& place, const Keys& keys) {
  const nlohmann::json object = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) throw ConfigurationError(place + ": expected a JSON object with a \"prompt\"");
  TaskItem item;
  for (const auto& [key, value] : object.items()) {
    if (!value.is_string()) throw ConfigurationError(fmt::format("{}: '{}': expected a string", place, key));
    if (key == "prompt") {
      item.prompt = value;
    } else if (key == "id") {
      item.id = value;
    } else if (std::find(keys.targets.begin(), keys.targets.end(), key) != keys.targets.end()) {
      item.target = value;
    } else {
      throw ConfigurationError(
          fmt::format("{}: unknown key '{}'{}", place, key, did_you_mean(key, keys.known)));
    }
  }
  if (!object.contains("prompt")) throw ConfigurationError(place + ": \"prompt\" is missing");
  if (keys.target_needed && item.target.empty()) {
    throw ConfigurationError(fmt::format("{}: \"{}\" is missing or empty", place, keys.targets[0]));
  }
  return item;
}

// An item without an id is called by its place among the items.
std::vector<TaskItem> read(const std::filesystem::path& file, const Keys& keys) {
  check_prompt_file(file);
  std::ifstream in(file);
  std::vector<TaskItem> items;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    TaskItem item = parse(line, fmt::format("{}:{}", file.string(), number), keys);
    if (item.id.empty()) item.id = fmt::format("{}", items.size());
    items.push_back(std::move(item));
  }
  if (items.empty()) throw ConfigurationError(fmt::format("{}: no prompts", file.string()));
  return items;
}

}  // namespace

void check_prompt_file(const std::filesystem::path& file) {
  check_readable(file, "the file of prompts");
}

std::vector<TaskItem> read_prompts(const std::filesystem::path& file) {
  return read(file, kPromptKeys);
}

std::vector<TaskItem> read_pairs(const std::filesystem::path& file) {
  return read(file, kPairKeys);
}

std::vector<TaskItem> first_of(std::vector<TaskItem> items, std::optional<int> samples) {
  if (samples && items.size() > static_cast<size_t>(*samples)) items.resize(static_cast<size_t>(*samples));
  return items;
}

}  // namespace canvaslab
