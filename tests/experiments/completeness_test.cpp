// Nothing is half there: every option of every group has its yaml with the code's own defaults, its test and
// its place in `canvaslab list`, and every yaml composes and binds.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <set>
#include <sstream>

#include "core/config/compose.h"
#include "core/config/config_folders.h"
#include "core/config/interpolate.h"
#include "core/config/sweep.h"
#include "experiments/list.h"
#include "experiments/run_config.h"
#include "experiments/sweep/launcher.h"
#include "experiments/sweep/sweeper.h"
#include "experiments/training/training_config.h"
#include "tests/options.h"
#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

const std::filesystem::path kSource = CANVASLAB_SOURCE_DIR;
const std::filesystem::path kConfigs = kSource / "configs";

struct Option {
  std::string group, name, description;
  std::vector<config::FieldDescription> fields;
  config::Node (*effective)(const config::Node&);
  std::string (*refusal)(const std::string&);
};

template <class Interface>
void add(std::vector<Option>& all, const std::string& group) {
  for (const std::string& name : Registry<Interface>::names()) {
    const auto* option = Registry<Interface>::find(name);
    all.push_back({group, name, option->description, option->describe(), &Registry<Interface>::effective,
                   &refusal<Interface>});
  }
}

std::vector<Option> options() {
  std::vector<Option> all;
  add<ModelSource>(all, "model");
  add<NoiseProcess>(all, "noise");
  add<NoiseSchedule>(all, "noise_schedule");
  add<TemperatureSchedule>(all, "temperature");
  add<SelectionRule>(all, "selection");
  add<StoppingCriterion>(all, "stopping");
  add<RandomSource>(all, "random");
  add<Task>(all, "task");
  add<Start>(all, "start");
  add<SamplerSource>(all, "sampler");
  add<InitialModel>(all, "initial");
  add<Sweeper>(all, "hydra/sweeper");
  add<Launcher>(all, "hydra/launcher");
  return all;
}

// The text of an option's yaml: a file of configs/, or one that is built in.
std::string text_of_yaml(const std::string& group, const std::string& name) {
  const auto built_in = config::built_in_files().find(fmt::format("{}/{}", group, name));
  if (built_in != config::built_in_files().end()) return built_in->second;
  std::ifstream file(kConfigs / group / (name + ".yaml"));
  EXPECT_TRUE(file) << group << "=" << name << " has no yaml";
  return std::string(std::istreambuf_iterator<char>(file), {});
}

config::Node yaml_of(const std::string& group, const std::string& name) {
  return config::parse_yaml(text_of_yaml(group, name), fmt::format("{}/{}.yaml", group, name));
}

std::vector<std::string> keys(const config::Node& map) {
  std::vector<std::string> names;
  for (const config::Entry& entry : map.entries()) names.push_back(entry.key);
  return names;
}

std::vector<std::string> names_of(const std::vector<config::FieldDescription>& fields) {
  std::vector<std::string> names;
  for (const config::FieldDescription& field : fields) names.push_back(field.name);
  return names;
}

std::set<std::string> groups_of_options() {
  std::set<std::string> groups;
  for (const Option& option : options()) groups.insert(option.group);
  return groups;
}

// The smallest settings that make an option usable, where its defaults alone cannot.
std::vector<std::string> needed(const std::string& group, const std::string& name) {
  std::vector<std::string> words;
  if (group == "task" && name == "prompts") words.emplace_back("task.texts=[a]");
  const config::Node yaml = yaml_of(group, name);
  for (const config::Entry& entry : yaml.entries()) {
    const char* value = entry.key == "criteria" ? "[{name: max_steps}]" : "x";
    if (entry.value.is_mandatory()) words.push_back(fmt::format("{}.{}={}", group, entry.key, value));
  }
  return words;
}

RunConfig bound(const std::vector<std::string>& overrides) {
  return config::bind<RunConfig>(config::compose({{kConfigs}, "config", overrides}));
}

TrainConfig bound_to_train(const std::vector<std::string>& overrides) {
  return config::bind<TrainConfig>(config::compose({{kConfigs}, "train", overrides}));
}

TEST(Completeness, EveryGroupHasOptions) {
  EXPECT_THAT(
      groups_of_options(),
      ::testing::ElementsAre("hydra/launcher", "hydra/sweeper", "initial", "model", "noise", "noise_schedule",
                             "random", "sampler", "selection", "start", "stopping", "task", "temperature"));
  EXPECT_GE(options().size(), 15U);
}

TEST(Completeness, EveryYamlComposesAndBinds) {
  config::ConfigFolders folders({kConfigs});
  int composed = 0;
  for (const std::string& group : folders.groups("")) {
    if (group == "experiment" || group == "hydra") continue;
    for (const std::string& name : folders.options(group)) {
      std::vector<std::string> overrides = needed(group, name);
      overrides.insert(overrides.begin(), fmt::format("{}={}", group, name));
      if (group == "initial" || group == "training") {
        EXPECT_NO_THROW(bound_to_train(overrides)) << group << "=" << name;
      } else {
        EXPECT_NO_THROW(bound(overrides)) << group << "=" << name;
      }
      ++composed;
    }
  }
  for (const std::string& name : folders.options("experiment")) {
    if (name.starts_with("train_")) {
      EXPECT_NO_THROW(bound_to_train({"experiment=" + name})) << name;
    } else {
      EXPECT_NO_THROW(bound({"experiment=" + name})) << name;
    }
    ++composed;
  }
  EXPECT_GE(composed, 20);
}

TEST(Completeness, EveryCellOfEveryExperimentBinds) {
  config::ConfigFolders folders({kConfigs});
  int swept = 0;
  for (const std::string& name : folders.options("experiment")) {
    if (name.starts_with("train_")) continue;
    const config::SweepPlan plan = config::plan_sweep({.config_folders = {kConfigs},
                                                       .config_name = "config",
                                                       .overrides = {"experiment=" + name},
                                                       .multirun = true,
                                                       .job_number = {}});
    const bool is_sweep = plan.keys.size() > 1;
    const config::Node* mode = config::select(plan.composition.hydra, "mode");
    EXPECT_EQ(mode != nullptr && *mode == config::Node("MULTIRUN"), is_sweep) << name;
    const config::SweepGrid grid(plan);
    for (size_t i = 0; i < grid.size(); ++i) {
      const config::Composition cell = config::compose_all(plan.job(grid.words(i), static_cast<int>(i)));
      EXPECT_NO_THROW(config::bind<RunConfig>(config::resolve(cell.config, {.hydra = &cell.hydra})))
          << name << ", cell " << i;
    }
    swept += is_sweep ? 1 : 0;
  }
  EXPECT_GE(swept, 5);
}

// A file that no group choice leads to would never be read.
TEST(Completeness, EveryYamlIsReachable) {
  config::ConfigFolders folders({kConfigs});
  std::set<std::string> reachable{"config.yaml", "train.yaml"};
  std::vector<std::string> fields = names_of(config::describe<RunConfig>());
  for (const std::string& field : names_of(config::describe<TrainConfig>())) fields.push_back(field);
  for (const std::string& field : fields) {
    const std::string group = field.substr(0, field.find('.'));
    if (!folders.is_group(group)) continue;
    for (const std::string& name : folders.options(group)) reachable.insert(group + "/" + name + ".yaml");
  }
  for (const char* group : {"experiment", "hydra/launcher", "hydra/sweeper"}) {
    for (const std::string& name : folders.options(group))
      reachable.insert(fmt::format("{}/{}.yaml", group, name));
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kConfigs)) {
    if (!entry.is_regular_file()) continue;
    const std::string file = std::filesystem::relative(entry.path(), kConfigs).string();
    EXPECT_TRUE(reachable.contains(file)) << file;
  }
}

TEST(Completeness, ConfigYamlSetsEveryFieldOfARun) {
  std::vector<std::string> fields;
  for (const std::string& field : names_of(config::describe<RunConfig>())) {
    const std::string first = field.substr(0, field.find('.'));
    if (fields.empty() || fields.back() != first) fields.push_back(first);
  }
  const config::Node composed = config::compose({{kConfigs}, "config", {}});
  EXPECT_THAT(keys(composed), ::testing::UnorderedElementsAreArray(fields));
  const RunConfig defaults;
  EXPECT_EQ(config::write_value(defaults.seed, nullptr), *composed.find("seed"));
  EXPECT_EQ(config::write_value(defaults.threads, nullptr), *composed.find("threads"));
  EXPECT_EQ(config::to_node(defaults.trace), *composed.find("trace"));
}

TEST(Completeness, EveryOptionHasAYamlAndEveryYamlAnOption) {
  std::set<std::string> registered;
  for (const Option& option : options()) registered.insert(option.group + "=" + option.name);
  config::ConfigFolders folders({kConfigs});
  std::set<std::string> files;
  for (const std::string& group : groups_of_options()) {
    for (const std::string& name : folders.options(group)) {
      files.insert(group + "=" + name);
      EXPECT_EQ(*yaml_of(group, name).find("name"), config::Node(name)) << group;
    }
  }
  EXPECT_EQ(files, registered);
}

TEST(Completeness, AYamlHasExactlyTheFieldsOfItsOption) {
  for (const Option& option : options()) {
    std::vector<std::string> expected = names_of(option.fields);
    expected.insert(expected.begin(), "name");
    EXPECT_THAT(keys(yaml_of(option.group, option.name)), ElementsAreArray(expected))
        << option.group << "=" << option.name;
  }
}

// `???` stands for a default that the option itself refuses.
TEST(Completeness, AYamlHasExactlyTheDefaultsOfItsOption) {
  for (const Option& option : options()) {
    config::Node yaml = yaml_of(option.group, option.name);
    config::Node bare = config::Node::map();
    bare.set("name", config::Node(option.name));
    const config::Node defaults = option.effective(bare);
    for (config::Entry& entry : yaml.entries()) {
      if (!entry.value.is_mandatory()) continue;
      EXPECT_NE(option.refusal(fmt::format("{{name: {}}}", option.name)), "accepted")
          << option.name << "." << entry.key;
      entry.value = *defaults.find(entry.key);
    }
    EXPECT_EQ(option.effective(yaml), defaults) << config::to_yaml(yaml) << "against\n"
                                                << config::to_yaml(defaults);
  }
}

TEST(Completeness, TheTrainingYamlHasExactlyItsDefaults) {
  EXPECT_EQ(yaml_of("training", "default"), config::to_node(TrainingConfig()));
}

TEST(Completeness, TrainYamlSetsEveryFieldOfATraining) {
  std::set<std::string> fields;
  for (const std::string& field : names_of(config::describe<TrainConfig>()))
    fields.insert(field.substr(0, field.find('.')));
  const config::Node composed = config::compose({{kConfigs}, "train", {}});
  EXPECT_THAT(keys(composed), ::testing::UnorderedElementsAreArray(fields));
}

TEST(Completeness, TheTraceYamlsAreItsLevels) {
  config::ConfigFolders folders({kConfigs});
  std::string levels;
  for (const config::FieldDescription& field : config::describe<TraceConfig>()) levels += field.type;
  for (const std::string& name : folders.options("trace")) {
    const config::Node yaml = yaml_of("trace", name);
    EXPECT_THAT(keys(yaml), ::testing::ElementsAre("level"));
    EXPECT_EQ(*yaml.find("level"), config::Node(name));
    EXPECT_THAT(levels, HasSubstr(name));
  }
  EXPECT_EQ(std::count(levels.begin(), levels.end(), '|') + 1,
            static_cast<std::ptrdiff_t>(folders.options("trace").size()));
}

std::string lower_first(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

TEST(Completeness, AYamlOpensWithTheDescriptionOfItsOption) {
  for (const Option& option : options()) {
    std::istringstream in(text_of_yaml(option.group, option.name));
    std::string line;
    std::getline(in, line);
    ASSERT_TRUE(line.starts_with("# ")) << option.group << "=" << option.name;
    EXPECT_TRUE(lower_first(line.substr(2)).starts_with(lower_first(option.description)))
        << option.group << "=" << option.name << "\n  yaml: " << line << "\n  code: " << option.description;
  }
}

TEST(Completeness, EveryYamlSaysInItsFirstLinesWhatItIs) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kConfigs)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path());
    std::string first, second;
    std::getline(in, first) && std::getline(in, second);
    EXPECT_TRUE((first.starts_with("# @package") ? second : first).starts_with("# ")) << entry.path();
  }
}

TEST(Completeness, EveryOptionHasItsTest) {
  std::set<std::string> tests;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kSource / "tests"))
    tests.insert(entry.path().filename().string());
  for (const Option& option : options()) {
    EXPECT_TRUE(tests.contains(option.name + "_test.cpp"))
        << option.group << "=" << option.name << " has no " << option.name << "_test.cpp";
  }
}

std::string listed(const std::string& group) {
  std::ostringstream out;
  list_options(group, out);
  return out.str();
}

TEST(Completeness, TheListNamesEveryOptionAndField) {
  const std::string all = listed("");
  for (const Option& option : options()) {
    EXPECT_THAT(all, HasSubstr(option.name)) << option.group;
    const std::string group = listed(option.group);
    EXPECT_THAT(group, HasSubstr(fmt::format("{}={}  {}", option.group, option.name, option.description)));
    std::string key = option.group;
    std::replace(key.begin(), key.end(), '/', '.');
    for (const config::FieldDescription& field : option.fields) {
      EXPECT_THAT(group, HasSubstr(fmt::format("{}.{}={}", key, field.name, field.default_value)));
    }
  }
  EXPECT_THAT(listed("trace"), HasSubstr("trace.level=steps"));
  EXPECT_THROW(listed("samplr"), ConfigurationError);
}

TEST(Completeness, EveryFieldSaysWhatItMeans) {
  std::vector<config::FieldDescription> fields = config::describe<RunConfig>();
  for (const Option& option : options())
    fields.insert(fields.end(), option.fields.begin(), option.fields.end());
  for (const config::FieldDescription& field : fields) EXPECT_FALSE(field.meaning.empty()) << field.name;
}

}  // namespace
}  // namespace canvaslab
