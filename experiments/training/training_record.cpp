#include "experiments/training/training_record.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/config/yaml.h"
#include "core/error.h"
#include "experiments/output_folder.h"

namespace canvaslab {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& folder, const std::string& found) {
  throw ConfigurationError(fmt::format("{}: expected a training's folder, {}", folder.string(), found));
}

// A value on one line.
std::string word(const config::Node& value) {
  if (value.is_list()) {
    std::string all;
    for (const config::Node& item : value.items()) all += (all.empty() ? "" : ",") + word(item);
    return fmt::format("[{}]", all);
  }
  if (value.is_map()) {
    std::string all;
    for (const config::Entry& entry : value.entries())
      all += fmt::format("{}{}: {}", all.empty() ? "" : ", ", entry.key, word(entry.value));
    return fmt::format("{{{}}}", all);
  }
  std::string text = config::to_yaml(value);
  text.erase(text.find_last_not_of('\n') + 1);
  return text;
}

}  // namespace

TrainingRecord TrainingRecord::read(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) refuse(folder, "found no folder of that name");
  if (is_sweep(folder)) {
    refuse(folder,
           fmt::format("found a sweep; only trainings are reported so far. Its table: canvaslab sweep {}",
                       folder.string()));
  }
  if (!holds_composition(folder)) {
    refuse(folder, fmt::format("found no {} in it", (folder / ".hydra" / "config.yaml").string()));
  }
  if (read_output_folder(folder).composition.config.find("training") == nullptr) {
    refuse(folder,
           "found a run; only trainings are reported so far. Tables of several runs: canvaslab sweep FOLDER");
  }
  TrainingRecord record{folder, config::read_yaml(folder / "resolved.yaml"), {}};
  const std::filesystem::path metrics = folder / "metrics.h5";
  if (std::filesystem::exists(metrics)) record.columns = read_columns(metrics);
  return record;
}

const std::vector<double>& TrainingRecord::column(const std::string& name) const {
  static const std::vector<double> none;
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const NumberColumn& column) { return column.name == name; });
  return found == columns.end() ? none : found->values;
}

std::vector<std::pair<double, double>> TrainingRecord::curve(const std::string& name) const {
  const std::vector<double>&steps = column(name.substr(0, name.find('/')) + "/step"), &values = column(name);
  std::vector<std::pair<double, double>> points;
  for (size_t i = 0; i < std::min(steps.size(), values.size()); ++i) points.emplace_back(steps[i], values[i]);
  return points;
}

std::int64_t TrainingRecord::updates() const {
  const std::vector<double>& steps = column("training/step");
  return steps.empty() ? 0 : static_cast<std::int64_t>(steps.back());
}

std::int64_t TrainingRecord::planned() const {
  const config::Node* steps = config::select(configuration, "training.steps");
  if (steps == nullptr || !steps->is_integer()) {
    throw Error(fmt::format("{}: expected a number at training.steps", (folder / "resolved.yaml").string()));
  }
  return steps->as_integer();
}

std::string TrainingRecord::in_words(const std::string& part) const {
  const config::Node* node = config::select(configuration, part);
  if (node == nullptr) return "-";
  if (!node->is_map()) return word(*node);
  std::string text;
  for (const config::Entry& entry : node->entries()) {
    if (entry.value.is_null()) continue;
    text += text.empty() ? "" : " ";
    text += entry.key == "name" ? word(entry.value) : fmt::format("{}={}", entry.key, word(entry.value));
  }
  return text;
}

}  // namespace canvaslab
