// Composition against results recorded from hydra-core (tests/data/hydra_cases/README.md says how): every
// case of kind `compose` or `multirun`, each a test of its own. The files that jobs write, and the cases of
// kind `cli`, are tested with the program (tests/experiments/hydra_application_test.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/config/compose.h"
#include "core/config/interpolate.h"
#include "core/config/scalar.h"
#include "core/config/sweep.h"
#include "core/config/yaml.h"
#include "core/error.h"
#include "tests/core/config/temporary_folder.h"

namespace canvaslab::config {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kComposeCases = 52;

constexpr std::size_t kMultirunCases = 4;

// Run elsewhere: they drive a command line or build objects.
const std::set<std::string> kNotRunHere{"cli_cfg_job",       "cli_cfg_resolve", "cli_cfg_package",
                                        "cli_info_defaults", "cli_run_outputs", "instantiate_nested"};

const Json& cases() {
  static const Json all = [] {
    std::ifstream file(CANVASLAB_TEST_DATA "/hydra_cases/cases.json");
    return Json::parse(file).at("cases");
  }();
  return all;
}

std::vector<std::string> ids_of(const char* kind) {
  std::vector<std::string> ids;
  for (const Json& item : cases())
    if (item.at("kind") == kind) ids.push_back(item.at("id"));
  return ids;
}

Node node_of(const Json& json) {
  if (json.is_null()) return Node();
  if (json.is_boolean()) return Node(json.get<bool>());
  if (json.is_number_integer()) return Node(json.get<std::int64_t>());
  if (json.is_number_float()) return Node(json.get<double>());
  if (json.is_string()) return json == "???" ? Node(Mandatory{}) : Node(json.get<std::string>());
  Node result = json.is_array() ? Node::list() : Node::map();
  if (json.is_array()) {
    for (const Json& item : json) result.items().push_back(node_of(item));
    return result;
  }
  if (json.size() == 1 && json.contains("$float")) {
    const std::string text = json["$float"];
    const double infinity = std::numeric_limits<double>::infinity();
    return Node(text == "nan" ? std::nan("") : text == "inf" ? infinity : -infinity);
  }
  for (const auto& [key, value] : json.items()) result.set(key, node_of(value));
  return result;
}

// Sets environment variables for one test and puts them back.
class Environment {
 public:
  explicit Environment(const Json& variables) {
    for (const auto& [name, value] : variables.items()) {
      const char* before = std::getenv(name.c_str());
      before_[name] = before ? std::optional<std::string>(before) : std::nullopt;
      put(name, value.is_null() ? std::nullopt : std::optional<std::string>(value.get<std::string>()));
    }
  }
  ~Environment() {
    for (const auto& [name, value] : before_) put(name, value);
  }

 private:
  static void put(const std::string& name, const std::optional<std::string>& value) {
    if (value)
      setenv(name.c_str(), value->c_str(), 1);
    else
      unsetenv(name.c_str());
  }
  std::map<std::string, std::optional<std::string>> before_;
};

class HydraCase : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    for (const Json& item : cases())
      if (item.at("id") == GetParam()) case_ = item;
    for (const auto& [path, text] : case_.at("configs").items()) folder_.write(path, text.get<std::string>());
  }

  Composition compose_case() const {
    ComposeRequest request{{folder_.path()}, case_.value("config_name", "config"), {}};
    if (case_.contains("overrides")) request.overrides = case_["overrides"].get<std::vector<std::string>>();
    Composition result = compose_all(request);
    if (case_.value("resolve", false))
      result.config = resolve(result.config, {.hydra = &result.hydra, .refuse_mandatory = true});
    return result;
  }

  void expect_hydra(const Composition& composition, const Json& expected) const {
    const Node& hydra = composition.hydra;
    for (const auto& [key, value] : expected.items()) {
      if (key == "choices") {
        Json found = Json::object();
        for (const Entry& entry : select(hydra, "runtime.choices")->entries())
          if (!entry.key.starts_with("hydra/"))
            found[entry.key] = entry.value.is_null() ? Json() : Json(entry.value.as_string());
        EXPECT_EQ(nlohmann::json(found), nlohmann::json(value));
      } else if (key == "run_dir") {
        const Node folder = resolve_hydra(composition.config, hydra, "run.dir");
        EXPECT_EQ(folder.as_string(), value.get<std::string>());
      } else {
        const std::map<std::string, std::string> places{{"override_dirname", "job.override_dirname"},
                                                        {"task_overrides", "overrides.task"},
                                                        {"hydra_overrides", "overrides.hydra"}};
        EXPECT_EQ(*select(hydra, places.at(key)), node_of(value)) << key;
      }
    }
  }

  Json case_;
  TemporaryFolder folder_;
};

TEST_P(HydraCase, AgreesWithTheRecording) {
  SCOPED_TRACE(case_.at("rule").get<std::string>());
  const Environment environment(case_.value("env", Json::object()));
  const Json& expected = case_.at("expect");
  if (expected.contains("error")) {
    try {
      const Composition composition = compose_case();
      FAIL() << "no error; composed\n" << to_yaml(composition.config);
    } catch (const ConfigurationError& error) {
      for (const Json& text : expected["error"]["must_mention"])
        EXPECT_THAT(error.what(), ::testing::HasSubstr(text.get<std::string>()));
    }
    return;
  }
  const Composition composition = compose_case();
  EXPECT_EQ(composition.config, node_of(expected.at("config"))) << to_yaml(composition.config);
  EXPECT_EQ(to_yaml(composition.config), expected.at("yaml").get<std::string>());
  if (expected.contains("hydra")) expect_hydra(composition, expected["hydra"]);
  EXPECT_EQ(composition.warnings.size(), expected.contains("warnings") ? expected["warnings"].size() : 0);
}

INSTANTIATE_TEST_SUITE_P(Recorded, HydraCase, ::testing::ValuesIn(ids_of("compose")),
                         [](const auto& test) { return test.param; });

class HydraMultirun : public HydraCase {};

TEST_P(HydraMultirun, AgreesWithTheRecording) {
  SCOPED_TRACE(case_.at("rule").get<std::string>());
  std::vector<std::string> words = case_.at("argv").get<std::vector<std::string>>();
  ASSERT_TRUE(words[0] == "-m" || words[0] == "--multirun");
  words.erase(words.begin());
  const SweepPlan plan = plan_sweep({.config_folders = {folder_.path()}, .overrides = words});
  const SweepGrid grid(plan);
  const Json& jobs = case_.at("expect").at("jobs");
  ASSERT_EQ(grid.size(), jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    EXPECT_EQ(grid.words(i), jobs[i].at("overrides").get<std::vector<std::string>>());
    const Composition job = compose_all(plan.job(grid.words(i), static_cast<int>(i)));
    EXPECT_EQ(job.config, node_of(jobs[i].at("config"))) << to_yaml(job.config);
    const std::string folder = resolve_hydra(job.config, job.hydra, "sweep.dir").as_string();
    const std::string number = bare_text(resolve_hydra(job.config, job.hydra, "sweep.subdir"));
    EXPECT_EQ(folder + "/" + number, jobs[i].at("dir").get<std::string>());
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, HydraMultirun, ::testing::ValuesIn(ids_of("multirun")),
                         [](const auto& test) { return test.param; });

TEST(HydraCases, AreAllAccountedFor) {
  std::set<std::string> others;
  for (const Json& item : cases())
    if (item.at("kind") != "compose" && item.at("kind") != "multirun")
      others.insert(item.at("id").get<std::string>());
  EXPECT_EQ(ids_of("compose").size(), kComposeCases);
  EXPECT_EQ(ids_of("multirun").size(), kMultirunCases);
  EXPECT_EQ(others, kNotRunHere);
}

}  // namespace
}  // namespace canvaslab::config
