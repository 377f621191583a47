// `canvaslab compose` as a Hydra application: the recorded cases of kind `cli` and `multirun`
// (tests/data/hydra_cases), run as processes; what is printed and which files lie there afterwards is
// compared.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "core/config/yaml.h"
#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream all;
  all << std::ifstream(file, std::ios::binary).rdbuf();
  return all.str();
}

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

std::string quoted(const std::string& word) {
  return fmt::format("'{}'", std::regex_replace(word, std::regex("'"), "'\\''"));
}

class HydraApplication : public ::testing::Test {
 protected:
  // Exit status of `canvaslab compose WORDS` in the folder work/, with the configurations in conf/.
  int compose(const std::vector<std::string>& words, bool with_folder = true) {
    std::filesystem::create_directories(folder_ / "work");
    std::string command =
        fmt::format("cd '{}/work' && '{}/canvaslab' compose", folder_.path().string(), CANVASLAB_BUILD_DIR);
    if (with_folder) command += " --config-dir ../conf";
    for (const std::string& word : words) command += " " + quoted(word);
    const int result = std::system(fmt::format("({}) >'{}' 2>'{}'", command, (folder_ / "stdout").string(),
                                               (folder_ / "stderr").string())
                                       .c_str());
    return WIFEXITED(result) ? WEXITSTATUS(result) : -1;
  }

  std::string printed() const { return text_of(folder_ / "stdout"); }
  std::string told() const { return text_of(folder_ / "stderr"); }
  std::string written(const std::string& file) const { return text_of(folder_ / "work" / file); }

  // Files below work/, logs left out, as the recordings have them.
  std::set<std::string> files() const {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "work"))
      if (entry.is_regular_file() && entry.path().extension() != ".log")
        found.insert(std::filesystem::relative(entry.path(), folder_ / "work").string());
    return found;
  }

  void use(const Json& configs) {
    for (const auto& [path, text] : configs.items()) write(folder_ / "conf" / path, text.get<std::string>());
  }

  TemporaryFolder folder_;
};

const Json& cases() {
  static const Json all = [] {
    std::ifstream file(CANVASLAB_TEST_DATA "/hydra_cases/cases.json");
    return Json::parse(file).at("cases");
  }();
  return all;
}

std::vector<std::string> process_ids() {
  std::vector<std::string> ids;
  for (const Json& item : cases())
    if (item.at("kind") == "cli" || item.at("kind") == "multirun") ids.push_back(item.at("id"));
  return ids;
}

// The rows of an `--info defaults` table, hydra's own left out.
Json rows_of(const std::string& table) {
  Json rows = Json::array();
  const std::regex row(R"(\| (\S*) *\| (\S*) *\| (True|False) *\| (\S*) *\|)");
  for (std::sregex_iterator match(table.begin(), table.end(), row), end; match != end; ++match) {
    if ((*match)[1].str().starts_with("hydra/")) continue;
    rows.push_back({{"config_path", (*match)[1]},
                    {"package", (*match)[2]},
                    {"is_self", (*match)[3] == "True"},
                    {"parent", (*match)[4]}});
  }
  return rows;
}

class RecordedProcess : public HydraApplication, public ::testing::WithParamInterface<std::string> {};

TEST_P(RecordedProcess, Agrees) {
  Json item;
  for (const Json& candidate : cases())
    if (candidate.at("id") == GetParam()) item = candidate;
  SCOPED_TRACE(item.at("rule").get<std::string>());
  use(item.at("configs"));
  const Json& expected = item.at("expect");
  EXPECT_EQ(compose(item.at("argv").get<std::vector<std::string>>()), 0) << told();
  if (expected.contains("stdout")) {
    EXPECT_EQ(printed(), expected["stdout"].get<std::string>());
  }
  if (expected.contains("defaults_list")) {
    EXPECT_EQ(rows_of(printed()), expected["defaults_list"]);
  }
  if (expected.contains("files")) {
    EXPECT_EQ(files(), expected["files"].get<std::set<std::string>>());
  }
  const Json texts = expected.value("file_texts", Json::object());
  for (const auto& [file, text] : texts.items()) EXPECT_EQ(written(file), text.get<std::string>());
  const Json jobs = expected.value("jobs", Json::array());
  for (const Json& job : jobs) {
    const std::string notes = job.at("dir").get<std::string>() + "/.hydra/";
    config::Node words = config::Node::list();
    for (const Json& word : job.at("overrides")) words.items().emplace_back(word.get<std::string>());
    EXPECT_EQ(written(notes + "overrides.yaml"), config::to_yaml(words));
    // JSON is YAML too.
    EXPECT_EQ(config::parse_yaml(written(notes + "config.yaml"), "written"),
              config::parse_yaml(job.at("config").dump(), "recorded"));
    EXPECT_THAT(written(notes + "hydra.yaml"), HasSubstr(fmt::format("num: {}\n", job.at("num").get<int>())));
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, RecordedProcess, ::testing::ValuesIn(process_ids()),
                         [](const auto& test) { return test.param; });

TEST(RecordedProcesses, AreNine) {
  EXPECT_EQ(process_ids().size(), 9u);
}

class SmallApplication : public HydraApplication {
 protected:
  void SetUp() override {
    write(folder_ / "conf/config.yaml",
          "defaults:\n- _self_\n- noise: masked\nseed: 1\nname: run_${seed}\nsecret: "
          "${oc.env:CANVASLAB_SECRET,none}\n");
    write(folder_ / "conf/noise/masked.yaml", "# Masks positions (arXiv 2406.07524).\nkind: masked\n");
    write(folder_ / "conf/noise/uniform.yaml", "kind: uniform\n");
  }
};

TEST_F(SmallApplication, WritesTheFolderThatHydraWrites) {
  ASSERT_EQ(compose({"seed=2"}), 0) << told();
  ASSERT_EQ(files().size(), 3u);
  const std::regex shape(R"(outputs/\d{4}-\d\d-\d\d/\d\d-\d\d-\d\d/\.hydra/(config|hydra|overrides)\.yaml)");
  for (const std::string& file : files()) EXPECT_TRUE(std::regex_match(file, shape)) << file;
  std::filesystem::path notes = std::filesystem::path(*files().begin()).parent_path();
  EXPECT_TRUE(std::filesystem::exists(folder_ / "work" / notes.parent_path() / "canvaslab.log"));
  const config::Node hydra = config::parse_yaml(written(notes / "hydra.yaml"), "hydra.yaml");
  EXPECT_EQ(*config::select(hydra, "hydra.mode"), config::Node("RUN"));
  EXPECT_EQ(*config::select(hydra, "hydra.runtime.output_dir"),
            config::Node((std::filesystem::canonical(folder_ / "work") / notes.parent_path()).string()));
  EXPECT_EQ(*config::select(hydra, "hydra.runtime.config_sources.0.provider"), config::Node("main"));
}

TEST_F(SmallApplication, TheOutputSubfolderIsTheConfigurations) {
  ASSERT_EQ(compose({"hydra.output_subdir=notes", "hydra.run.dir=out", "hydra.job.name=mine"}), 0) << told();
  EXPECT_EQ(files(), (std::set<std::string>{"out/notes/config.yaml", "out/notes/hydra.yaml",
                                            "out/notes/overrides.yaml"}));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "work/out/mine.log"));
  ASSERT_EQ(compose({"hydra.output_subdir=null", "hydra.run.dir=bare"}), 0) << told();
  EXPECT_FALSE(std::filesystem::exists(folder_ / "work/bare/.hydra"));
}

TEST_F(SmallApplication, EnvironmentStaysOutOfStoredConfigurations) {
  setenv("CANVASLAB_SECRET", "hunter2", 1);
  ASSERT_EQ(compose({"hydra.run.dir=out"}), 0) << told();
  ASSERT_EQ(compose({"-m", "seed=1,2", "hydra.sweep.dir=many"}), 0) << told();
  ASSERT_GE(files().size(), 10u);
  for (const std::string& file : files()) EXPECT_EQ(written(file).find("hunter2"), std::string::npos) << file;
  ASSERT_EQ(compose({"--cfg", "job", "--resolve"}), 0) << told();
  EXPECT_THAT(printed(), HasSubstr("secret: hunter2"));
  unsetenv("CANVASLAB_SECRET");
}

TEST_F(SmallApplication, WhatIsRefusedLeavesNothingBehind) {
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"sed=2"},
                                                {"noise=x"},
                                                {"seed=1,2"},
                                                {"-m", "seed=1,2", "sed=3"},
                                                {"-m", "seed=range(0,1,0)"},
                                                {"hydra.run.dir=${nothing}"},
                                                {"--cfg", "jbo"},
                                                {"--cfg", "job", "-m"},
                                                {"--package", "noise"},
                                                {"--info", "x"}}) {
    EXPECT_EQ(compose(wrong), 2) << fmt::format("{}", fmt::join(wrong, " "));
    EXPECT_TRUE(files().empty()) << fmt::format("{}", fmt::join(wrong, " "));
    EXPECT_NE(told(), "");
  }
}

TEST_F(SmallApplication, TheConfigurationMaySayMultirun) {
  write(folder_ / "conf/config.yaml",
        "seed: 1\nhydra:\n  mode: MULTIRUN\n  sweeper:\n    params:\n      seed: 1,2\n");
  ASSERT_EQ(
      compose({"hydra.sweep.dir=many", "hydra.sweep.subdir=${hydra.job.num}_${hydra.job.override_dirname}"}),
      0)
      << told();
  EXPECT_EQ(printed(), "seed: 1\nseed: 2\n");
  EXPECT_TRUE(files().contains("many/1_seed=2/.hydra/config.yaml"));
}

TEST_F(SmallApplication, HelpListsOptionsWithTheirDescriptions) {
  ASSERT_EQ(compose({"--help", "seed=5"}), 0) << told();
  EXPECT_THAT(
      printed(),
      HasSubstr("noise\n    masked                   Masks positions (arXiv 2406.07524).\n    uniform"));
  EXPECT_THAT(printed(), HasSubstr("seed: 5\nname: run_${seed}\n"));
  EXPECT_THAT(printed(), HasSubstr("--config-dir"));
  ASSERT_EQ(compose({"--hydra-help"}), 0) << told();
  EXPECT_THAT(printed(), HasSubstr("hydra/sweeper\n    basic"));
  EXPECT_TRUE(files().empty());
}

TEST_F(SmallApplication, InfoShowsTreeAndFolders) {
  ASSERT_EQ(compose({"--info", "defaults-tree", "noise=uniform"}), 0) << told();
  EXPECT_THAT(printed(), HasSubstr("    hydra/callbacks: null\n    hydra/env: default\n    _self_\n  "
                                   "config:\n    _self_\n    noise: uniform\n"));
  ASSERT_EQ(compose({"--info", "searchpath"}), 0) << told();
  EXPECT_THAT(printed(),
              HasSubstr(fmt::format("file://{}", std::filesystem::canonical(folder_ / "conf").string())));
  ASSERT_EQ(compose({"--info"}), 0) << told();
  EXPECT_THAT(printed(), HasSubstr("Defaults Tree\n*************\n"));
}

TEST_F(SmallApplication, CfgShowsHydrasOwnValues) {
  ASSERT_EQ(compose({"-c", "hydra", "-p", "hydra.run"}), 0) << told();
  EXPECT_EQ(printed(), "# @package hydra.run\ndir: outputs/${now:%Y-%m-%d}/${now:%H-%M-%S}\n");
  ASSERT_EQ(compose({"-c", "all"}), 0) << told();
  EXPECT_TRUE(printed().starts_with("hydra:\n  run:\n"));
  EXPECT_THAT(printed(), HasSubstr("\nseed: 1\n"));
  ASSERT_EQ(compose({"-c", "job", "-p", "name"}), 0) << told();
  EXPECT_EQ(printed(), "run_1\n");
  EXPECT_EQ(compose({"-c", "job", "-p", "nois"}), 2);
  EXPECT_THAT(told(), HasSubstr("package 'nois' not found in config; did you mean 'noise'?"));
}

TEST_F(SmallApplication, FoldersAreFoundAsFlagsSay) {
  write(folder_ / "more/noise/mine.yaml", "kind: mine\n");
  write(folder_ / "more/noise/masked.yaml", "kind: never\n");
  const std::vector<std::string> words{"-cp",    "../conf", "-cd", "../more", "-cn",
                                       "config", "--cfg",   "job", "-p",      "noise"};
  ASSERT_EQ(compose(words, false), 0) << told();
  EXPECT_EQ(printed(), "# @package noise\nkind: masked\n") << "the main folder wins";
  std::vector<std::string> chosen = words;
  chosen.emplace_back("noise=mine");
  ASSERT_EQ(compose(chosen, false), 0) << told();
  EXPECT_EQ(printed(), "# @package noise\nkind: mine\n");
  // Without the primary configuration a folder adds to the project's own.
  write(folder_ / "own/experiment/mine.yaml", "# @package _global_\nselection:\n  bound: 0.5\n");
  ASSERT_EQ(
      compose({"--config-dir", "../own", "experiment=mine", "--cfg", "job", "-p", "selection.bound"}, false),
      0)
      << told();
  EXPECT_EQ(printed(), "0.5\n");
}

}  // namespace
}  // namespace canvaslab
