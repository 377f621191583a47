// Composition beyond the recorded cases: several folders, interpolated choices, errors of several words
// together, safety, and limits. Expectations were checked against hydra-core where it has the feature.
#include "core/config/compose.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/config/yaml.h"
#include "core/error.h"
#include "tests/core/config/temporary_folder.h"

namespace canvaslab::config {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Compose : public ::testing::Test {
 protected:
  Node composed(const std::vector<std::string>& overrides = {}) const {
    return compose({{folder_.path()}, "config", overrides});
  }
  std::string error(const std::vector<std::string>& overrides = {}) const {
    try {
      composed(overrides);
    } catch (const ConfigurationError& error) {
      return error.what();
    }
    return "no error";
  }
  static Node yaml(const std::string& text) { return parse_yaml(text, "expected.yaml"); }

  TemporaryFolder folder_;
};

TEST_F(Compose, KeepsThePlaceOfEveryValue) {
  folder_.write("config.yaml", "defaults:\n- noise: a\n- _self_\nseed: 1\n");
  folder_.write("noise/a.yaml", "x: 1\ny: 2\n");
  const Node root = composed({"noise.x=5"});
  EXPECT_EQ(select(root, "seed")->source().text(), (folder_.path() / "config.yaml").string() + ":4");
  EXPECT_EQ(select(root, "noise.y")->source().text(), (folder_.path() / "noise/a.yaml").string() + ":2");
  EXPECT_EQ(select(root, "noise.x")->source().text(), "command line 'noise.x=5'");
}

TEST_F(Compose, ReportsErrorsOfSeveralWordsTogether) {
  folder_.write("config.yaml", "steps: 1\nmodel: {layers: 2}\n");
  EXPECT_THAT(error({"stps=2", "model.layer=3", "~nothing"}),
              AllOf(HasSubstr("3 errors"), HasSubstr("command line 'stps=2': Could not override 'stps'."),
                    HasSubstr("did you mean 'steps'?"), HasSubstr("did you mean 'layers'?"),
                    HasSubstr("'nothing' does not exist")));
  EXPECT_THAT(error({"a=[", "b=]"}), AllOf(HasSubstr("2 errors"), HasSubstr("'a=['"), HasSubstr("'b=]'")));
}

TEST_F(Compose, ReportsWrongWordsOfEveryKindTogether) {
  folder_.write("config.yaml", "defaults:\n- _self_\n- noise: a\n- model: b\nsteps: 1\nx: 2\n");
  folder_.write("noise/a.yaml", "k: 1\n");
  folder_.write("model/b.yaml", "k: 1\n");
  EXPECT_THAT(
      error({"noise=aa", "model=bb", "k=[", "x=1,2"}),
      AllOf(HasSubstr("4 errors"), HasSubstr("'k=['"), HasSubstr("Ambiguous value for argument 'x=1,2'"),
            HasSubstr("command line 'noise=aa': "), HasSubstr("noise/aa"), HasSubstr("model/bb")));
  EXPECT_THAT(error({"k=[", "stps=2", "x='${'"}),
              AllOf(HasSubstr("3 errors"), HasSubstr("'k=['"), HasSubstr("did you mean 'steps'?"),
                    HasSubstr("command line 'x='${''")));
}

TEST_F(Compose, SuggestsNearOptionsAndGroups) {
  folder_.write("config.yaml", "defaults:\n- _self_\n- noise: null\n");
  folder_.write("noise/masked.yaml", "k: 1\n");
  EXPECT_THAT(error({"noise=maskd"}), HasSubstr("did you mean 'masked'?"));
  EXPECT_THAT(error({"nose=masked"}), HasSubstr("did you mean 'noise'?"));
  EXPECT_THAT(error({"noise=1"}), HasSubstr("must be text or a list of texts, found 1; options: masked"));
  EXPECT_THAT(error({"++noise=masked"}), HasSubstr("cannot be force-added"));
}

TEST_F(Compose, ResolvesInterpolatedChoicesLast) {
  folder_.write("config.yaml", "defaults:\n- _self_\n- pair: ${noise}_${model}\n- noise: a\n- model: b\n");
  for (const char* file : {"noise/a.yaml", "noise/c.yaml", "model/b.yaml", "pair/a_b.yaml", "pair/c_b.yaml"})
    folder_.write(file, std::string("from: ") + file + "\n");
  EXPECT_EQ(composed({"noise=c"}).find("pair")->find("from")->as_string(), "pair/c_b.yaml");
  folder_.write("config.yaml", "defaults:\n- _self_\n- pair: ${nose}\n- noise: a\n");
  EXPECT_THAT(error(),
              AllOf(HasSubstr("Error resolving interpolation '${nose}'"), HasSubstr("possible keys: noise")));
}

TEST_F(Compose, SearchesFoldersInOrderAndThoseOfTheSearchPath) {
  TemporaryFolder second, third;
  folder_.write("config.yaml", "defaults:\n- _self_\n- g: a\n");
  second.write("g/a.yaml", "from: second\n");
  second.write("config.yaml", "never: read\n");
  third.write("g/b.yaml", "from: third\n");
  EXPECT_EQ(compose({{folder_.path(), second.path()}, "config", {}}), yaml("g: {from: second}"));
  const std::string word = "hydra.searchpath=['file://" + third.path().string() + "']";
  EXPECT_EQ(compose({{folder_.path(), second.path()}, "config", {word, "g=b"}}), yaml("g: {from: third}"));
  EXPECT_THAT(error({"hydra.searchpath=3"}), HasSubstr("must be a list of strings"));
  EXPECT_THAT(error({"hydra.searchpath=[/no/such/folder]"}), HasSubstr("not found: /no/such/folder"));
}

TEST_F(Compose, ReadsNothingOutsideItsFolders) {
  TemporaryFolder outside;
  outside.write("secret.yaml", "secret: 1\n");
  folder_.write("config.yaml", "defaults:\n- _self_\n- g: a\n");
  folder_.write("g/a.yaml", "x: 1\n");
  const std::string up = "../../" + outside.path().filename().string() + "/secret";
  EXPECT_THAT(error({"g='" + up + "'"}), HasSubstr("Could not find"));
  std::filesystem::create_symlink(outside.path() / "secret.yaml", folder_.path() / "g/link.yaml");
  EXPECT_THAT(error({"g=link"}), HasSubstr("leads out of the configuration folder"));
  EXPECT_THROW(compose({{folder_.path()}, (outside.path() / "secret").string(), {}}), ConfigurationError);
}

TEST_F(Compose, EndsWhenFilesIncludeOneAnother) {
  folder_.write("config.yaml", "defaults:\n- config\n");
  EXPECT_THAT(error(), HasSubstr("includes itself"));
  for (int i = 0; i < 40; ++i)
    folder_.write(fmt::format("f{}.yaml", i), fmt::format("defaults:\n- f{0}\n- f{0}\n", i + 1));
  folder_.write("f40.yaml", "x: 1\n");
  folder_.write("config.yaml", "defaults:\n- f0\n");
  EXPECT_THAT(error(), HasSubstr("more than 10000 files"));
}

TEST_F(Compose, RefusesMalformedInterpolationsAndLists) {
  folder_.write("config.yaml", "a: 1\nb: [x, '${a']\n");
  EXPECT_THAT(error(), AllOf(HasSubstr("config.yaml:2"), HasSubstr("does not end")));
  folder_.write("config.yaml", "defaults:\n- a: 1\n  b: 2\n");
  EXPECT_THAT(error(), AllOf(HasSubstr("config.yaml:2"), HasSubstr("a name or one 'group: option'")));
  folder_.write("config.yaml", "defaults: {a: 1}\n");
  EXPECT_THAT(error(), HasSubstr("defaults must be a list"));
  folder_.write("config.yaml", "defaults:\n- _self_\n- other\nx: [1]\n");
  folder_.write("other.yaml", "x: {a: 1}\n");
  EXPECT_THAT(error(),
              AllOf(HasSubstr("In 'other'"), HasSubstr("x: cannot merge a map {a} with a list of 1")));
}

TEST_F(Compose, RefusesOneChoiceMadeTwice) {
  folder_.write("config.yaml", "defaults:\n- _self_\n- noise: a\n- noise: a\n");
  folder_.write("noise/a.yaml", "x: 1\n");
  EXPECT_THAT(error(), HasSubstr("noise appears more than once in the final defaults list"));
}

TEST_F(Compose, RecordsDefaultsAndHydraSettings) {
  folder_.write(
      "config.yaml",
      "defaults:\n- _self_\n- noise: a\n- override hydra/launcher: local\nhydra: {run: {dir: d}}\n");
  folder_.write("noise/a.yaml", "x: 1\n");
  folder_.write("hydra/launcher/local.yaml", "workers: 2\n");
  const Composition all = compose_all({{folder_.path()}, "config", {"noise.x=2"}});
  EXPECT_EQ(select(all.hydra, "launcher.workers")->as_integer(), 2);
  EXPECT_EQ(select(all.hydra, "run.dir")->as_string(), "d");
  EXPECT_EQ(select(all.hydra, "job.override_dirname")->as_string(), "noise.x=2");
  ASSERT_GE(all.defaults.size(), 2u);
  EXPECT_EQ(all.defaults.back().file, "noise/a");
  EXPECT_EQ(all.defaults.back().package, "noise");
  EXPECT_EQ(all.defaults.back().parent, "config");
  EXPECT_EQ(all.config, yaml("noise: {x: 2}"));
}

}  // namespace
}  // namespace canvaslab::config
