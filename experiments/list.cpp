#include "experiments/list.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <functional>
#include <map>

#include "core/error.h"
#include "core/nearest.h"
#include "experiments/run_config.h"
#include "experiments/sweep/launcher.h"
#include "experiments/sweep/sweeper.h"
#include "experiments/training/training_config.h"

namespace canvaslab {
namespace {

struct OptionText {
  std::string name, description, paper;
  std::vector<config::FieldDescription> fields;
};

template <class Interface>
std::vector<OptionText> options_of() {
  std::vector<OptionText> all;
  for (const std::string& name : Registry<Interface>::names()) {
    const auto* option = Registry<Interface>::find(name);
    all.push_back({name, option->description, option->paper, option->describe()});
  }
  return all;
}

const std::map<std::string, std::function<std::vector<OptionText>()>>& groups() {
  static const auto* all = new std::map<std::string, std::function<std::vector<OptionText>()>>{
      {"model", options_of<ModelSource>},
      {"noise", options_of<NoiseProcess>},
      {"noise_schedule", options_of<NoiseSchedule>},
      {"temperature", options_of<TemperatureSchedule>},
      {"selection", options_of<SelectionRule>},
      {"stopping", options_of<StoppingCriterion>},
      {"initial", options_of<InitialModel>},
      {"training",
       [] {
         return std::vector<OptionText>{
             {"default", "objective, optimiser and validation", "", config::describe<TrainingConfig>()}};
       }},
      {"random", options_of<RandomSource>},
      {"task", options_of<Task>},
      {"start", options_of<Start>},
      {"sampler", options_of<SamplerSource>},
      {"hydra/sweeper", options_of<Sweeper>},
      {"hydra/launcher", options_of<Launcher>},
      {"trace", [] {
         return std::vector<OptionText>{
             {"steps | summary | none", "what is recorded", "", config::describe<TraceConfig>()}};
       }}};
  return *all;
}

void print_option(const std::string& group, const OptionText& option, std::ostream& out) {
  std::string key = group;  // a group's folder is its key in the configuration
  std::replace(key.begin(), key.end(), '/', '.');
  fmt::print(out, "{}={}  {}{}\n", group, option.name, option.description,
             option.paper.empty() ? "" : " (" + option.paper + ")");
  for (const config::FieldDescription& field : option.fields) {
    std::string kind = field.type;
    if (!field.unit.empty()) kind += ", " + field.unit;
    if (!field.range.empty()) kind += ", " + field.range;
    fmt::print(out, "    {}.{}={}  [{}]  {}\n", key, field.name, field.default_value, kind, field.meaning);
  }
}

}  // namespace

void list_options(const std::string& group, std::ostream& out) {
  if (group.empty()) {
    for (const auto& [name, options] : groups()) {
      fmt::print(out, "{}\n", name);
      for (const OptionText& option : options())
        fmt::print(out, "    {:<24} {}\n", option.name, option.description);
    }
    return;
  }
  const auto found = groups().find(group);
  if (found == groups().end()) {
    std::vector<std::string> known;
    for (const auto& entry : groups()) known.push_back(entry.first);
    throw ConfigurationError(fmt::format("no configuration group '{}'{}; there are {}", group,
                                         did_you_mean(group, known), fmt::join(known, ", ")));
  }
  for (const OptionText& option : found->second()) print_option(group, option, out);
}

}  // namespace canvaslab
