// How the settings of a generation_config.json are called in this program's configuration.
#include <fmt/format.h>

#include "core/config/yaml.h"
#include "core/error.h"
#include "core/nearest.h"
#include "experiments/generate.h"

namespace canvaslab {
namespace {

struct Setting {
  const char* name;    // in generation_config.json
  const char* path;    // in the configuration
  const char* group;   // the group whose choice decides whether there is such a setting; "" = always
  const char* option;  // the choice that has it
  std::string value;   // the checkpoint's
};

std::vector<Setting> settings_of(const GenerationConfig& g) {
  return {
      {"max_new_tokens", "sampler.max_new_tokens", "", "", fmt::format("{}", g.max_new_tokens)},
      {"max_denoising_steps", "sampler.steps", "sampler", "block", fmt::format("{}", g.max_denoising_steps)},
      {"t_min", "temperature.minimum", "temperature", "linear", fmt::format("{}", g.t_min)},
      {"t_max", "temperature.maximum", "temperature", "linear", fmt::format("{}", g.t_max)},
      {"entropy_bound", "selection.bound", "selection", "entropy_bound", fmt::format("{}", g.entropy_bound)},
      {"stability_threshold", "stopping.stability", "stopping", "stable_and_confident",
       fmt::format("{}", g.stability_threshold)},
      {"confidence_threshold", "stopping.confidence", "stopping", "stable_and_confident",
       fmt::format("{}", g.confidence_threshold)}};
}

constexpr std::string_view kPrefix = "generation.";

// A generation.* word of the command line, without its prefix: name and value.
std::pair<std::string, std::string> split_word(const std::string& word) {
  const size_t equals = word.find('=');
  if (equals == std::string::npos)
    throw ConfigurationError(fmt::format("'{}': expected {}NAME=VALUE", word, kPrefix));
  return {word.substr(kPrefix.size(), equals - kPrefix.size()), word.substr(equals + 1)};
}

const Setting& find(const std::vector<Setting>& settings, const std::string& name, const std::string& word) {
  std::vector<std::string> known;
  for (const Setting& setting : settings) {
    if (name == setting.name) return setting;
    known.emplace_back(setting.name);
  }
  throw ConfigurationError(fmt::format("'{}': generation_config.json has no setting '{}'{}; known are {}",
                                       word, name, did_you_mean(name, known), fmt::join(known, ", ")));
}

}  // namespace

std::vector<std::string> with_generation_settings(const std::vector<std::string>& overrides,
                                                  const GenerationConfig& generation,
                                                  const ConfigLocation& location) {
  std::vector<std::string> plain;  // the words that are this program's own
  for (const std::string& word : overrides) {
    if (!word.starts_with(kPrefix)) plain.push_back(word);
  }
  const config::Node composed = config::compose({config_folders(location), location.name, plain});
  const auto applies = [&](const Setting& setting) {
    const config::Node* choice = config::select(composed, fmt::format("{}.name", setting.group));
    return *setting.group == '\0' ||
           (choice != nullptr && choice->is_string() && choice->as_string() == setting.option);
  };
  const std::vector<Setting> settings = settings_of(generation);
  std::vector<std::string> all;
  const config::Node* sampler = config::select(composed, "sampler.name");
  if (sampler != nullptr && *sampler == config::Node("block"))
    all.emplace_back("sampler.length=whole_canvases");
  for (const Setting& setting : settings) {
    if (applies(setting)) all.push_back(fmt::format("{}={}", setting.path, setting.value));
  }
  for (const std::string& word : overrides) {
    if (!word.starts_with(kPrefix)) {
      all.push_back(word);
      continue;
    }
    const auto [name, value] = split_word(word);
    const Setting& setting = find(settings, name, word);
    if (!applies(setting)) {
      throw ConfigurationError(
          fmt::format("'{}': only {}={} has this setting", word, setting.group, setting.option));
    }
    all.push_back(fmt::format("{}={}", setting.path, value));
  }
  return all;
}

}  // namespace canvaslab
