#include "experiments/tasks/prompt_file.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/nearest.h"

namespace canvaslab {
namespace {

const std::vector<std::string> kKeys{"prompt", "target", "one_solution", "id"};

TaskItem parse(const std::string& line, const std::string& place) {
  const nlohmann::json object = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) throw ConfigurationError(place + ": expected a JSON object with a \"prompt\"");
  TaskItem item;
  for (const auto& [key, value] : object.items()) {
    if (!value.is_string()) throw ConfigurationError(fmt::format("{}: '{}': expected a string", place, key));
    if (key == "prompt") {
      item.prompt = value;
    } else if (key == "target" || key == "one_solution") {
      item.target = value;
    } else if (key == "id") {
      item.id = value;
    } else {
      throw ConfigurationError(fmt::format("{}: unknown key '{}'{}", place, key, did_you_mean(key, kKeys)));
    }
  }
  if (!object.contains("prompt")) throw ConfigurationError(place + ": \"prompt\" is missing");
  return item;
}

}  // namespace

std::vector<TaskItem> read_prompts(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw ConfigurationError(fmt::format("{}: the file of prompts cannot be read", file.string()));
  std::vector<TaskItem> items;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    TaskItem item = parse(line, fmt::format("{}:{}", file.string(), number));
    if (item.id.empty()) item.id = fmt::format("{}", items.size());
    items.push_back(std::move(item));
  }
  if (items.empty()) throw ConfigurationError(fmt::format("{}: no prompts", file.string()));
  return items;
}

std::vector<TaskItem> first_of(std::vector<TaskItem> items, std::optional<int> samples) {
  if (samples && items.size() > static_cast<size_t>(*samples)) items.resize(static_cast<size_t>(*samples));
  return items;
}

}  // namespace canvaslab
