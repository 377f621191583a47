// Typed binding: what fits, what is refused with which words, effective values and descriptions.
#include "core/config/bind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/config/describe.h"
#include "core/config/yaml.h"
#include "core/error.h"

namespace canvaslab::config {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

enum class Comparison { kStrict, kInclusive };

struct Phase {
  int steps = 4;
  template <class Visitor>
  void fields(Visitor& visit) {
    visit("steps", steps, {.meaning = "steps of the phase", .minimum = 1});
  }
};

struct Settings {
  double bound = 0.1;
  Comparison comparison = Comparison::kStrict;
  std::optional<std::int64_t> tokens;
  std::vector<std::int32_t> suppress{7};
  std::string file = "a.txt";
  bool enabled = false;
  float share = 0.1f;
  std::uint8_t small = 1;
  Phase phase;
  std::vector<Phase> phases;
  std::map<std::string, double> weights;
  Node any;

  template <class Visitor>
  void fields(Visitor& visit) {
    visit("bound", bound, {.unit = "nats", .meaning = "largest sum", .minimum = 0, .below = 10});
    visit.choice("comparison", comparison,
                 {{"strict", Comparison::kStrict}, {"inclusive", Comparison::kInclusive}},
                 {.meaning = "equality"});
    visit("tokens", tokens, {.minimum = 1});
    visit("suppress", suppress, {.minimum = 0});
    visit("file", file);
    visit("enabled", enabled);
    visit("share", share, {.above = 0, .maximum = 1});
    visit("small", small);
    visit("phase", phase);
    visit("phases", phases);
    visit("weights", weights);
    visit("any", any);
  }
};

std::vector<std::string> errors_of(const std::string& yaml) {
  Settings settings;
  Errors errors;
  bind(parse_yaml(yaml, "f.yaml"), settings, errors, "x");
  return errors.messages();
}

TEST(Bind, FillsEveryKindOfField) {
  const auto settings = bind<Settings>(parse_yaml(
      "{bound: 2, comparison: inclusive, tokens: 5, suppress: [1, 2], file: b, enabled: true, share: "
      "1, small: 255,"
      " phase: {steps: 9}, phases: [{steps: 1}, {}], weights: {p: 1, q: 0.5}, any: [1, {a: b}]}",
      "f.yaml"));
  EXPECT_EQ(settings.bound, 2.0);
  EXPECT_EQ(settings.comparison, Comparison::kInclusive);
  EXPECT_EQ(settings.tokens, 5);
  EXPECT_THAT(settings.suppress, ElementsAre(1, 2));
  EXPECT_EQ(settings.file, "b");
  EXPECT_TRUE(settings.enabled);
  EXPECT_EQ(settings.small, 255);
  EXPECT_EQ(settings.phase.steps, 9);
  ASSERT_EQ(settings.phases.size(), 2u);
  EXPECT_EQ(settings.phases[1].steps, 4);
  EXPECT_EQ(settings.weights.at("q"), 0.5);
  EXPECT_EQ(settings.any, parse_yaml("[1, {a: b}]", "g.yaml"));
}

TEST(Bind, KeepsDefaultsAndTakesNullForOptionalFields) {
  EXPECT_EQ(bind<Settings>(parse_yaml("{}", "f.yaml")).bound, 0.1);
  EXPECT_EQ(bind<Settings>(parse_yaml("tokens: null", "f.yaml")).tokens, std::nullopt);
}

TEST(Bind, RefusesWhatDoesNotFit) {
  const std::vector<std::pair<const char*, const char*>> wrong{
      {"bound: x", "f.yaml:1: x.bound: expected a number >= 0, < 10 (nats), found a string, 'x'"},
      {"bound: -1", "x.bound: expected a number >= 0, < 10 (nats), found -1"},
      {"bound: 10", "found 10"},
      {"bound: .nan", "found .nan"},
      {"bound: true", "found a bool, true"},
      {"bound: null", "found null"},
      {"bound: ???", "x.bound: is ??? and must be set; expected a number >= 0, < 10 (nats)"},
      {"comparison: strct",
       "x.comparison: expected one of strict, inclusive, found 'strct'; did you mean 'strict'?"},
      {"comparison: 1", "expected one of strict, inclusive, found an integer, 1"},
      {"tokens: 48.0", "x.tokens: expected an integer >= 1, found a number, 48.0"},
      {"tokens: 0", "x.tokens: expected an integer >= 1, found 0"},
      {"suppress: 3", "x.suppress: expected a list, found an integer, 3"},
      {"suppress: [1, -1]", "x.suppress.1: expected an integer >= 0, found -1"},
      {"suppress: [1, 3000000000]", "x.suppress.1: expected an integer from -2147483648 to 2147483647"},
      {"file: 3", "x.file: expected text, found an integer, 3; quote it to make it text"},
      {"enabled: 1", "x.enabled: expected true or false, found an integer, 1"},
      {"share: 0", "x.share: expected a number > 0, <= 1, found 0"},
      {"small: 256", "expected an integer from 0 to 255, found 256"},
      {"small: -1", "expected an integer from 0 to 255, found -1"},
      {"phase: 3", "x.phase: expected a map, found an integer, 3"},
      {"phase: {step: 3}", "x.phase.step: unknown key 'step'; did you mean 'steps'?; allowed: steps"},
      {"phases: [{steps: 0}]", "x.phases.0.steps: expected an integer >= 1, found 0"},
      {"weights: {p: x}", "x.weights.p: expected a number, found a string, 'x'"},
      {"on: 1",
       "x.true: unknown key 'true' (YAML 1.1 reads yes, no, on and off as true and false; quote such keys)"},
      {"bund: 1", "f.yaml:1: x.bund: unknown key 'bund'; did you mean 'bound'?; allowed: bound, comparison"}};
  for (const auto& [yaml, expected] : wrong)
    EXPECT_THAT(errors_of(yaml), ElementsAre(HasSubstr(expected))) << yaml;
}

TEST(Bind, ReportsAllErrorsTogether) {
  try {
    bind<Settings>(parse_yaml("bound: x\nenabled: 3\nphase:\n  steps: 0\nzzzzzz: 1\n", "f.yaml"));
    FAIL();
  } catch (const ConfigurationError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("4 errors"), HasSubstr("f.yaml:1: bound"), HasSubstr("f.yaml:2: enabled"),
                      HasSubstr("f.yaml:4: phase.steps"), HasSubstr("f.yaml:5: zzzzzz")));
  }
}

TEST(Bind, NamesTheCommandLineWord) {
  Node root = parse_yaml("bound: 1", "f.yaml");
  root.set("bound", Node(-3).at({std::make_shared<const std::string>("bound=-3"), 0}));
  Settings settings;
  Errors errors;
  bind(root, settings, errors);
  EXPECT_THAT(errors.messages(), ElementsAre(HasSubstr("command line 'bound=-3': bound: expected a number")));
}

TEST(Describe, WritesEffectiveValuesThatBindToTheSame) {
  const auto settings = bind<Settings>(parse_yaml("{bound: 2, phases: [{}], weights: {p: 1}}", "f.yaml"));
  const Node effective = to_node(settings);
  const Node expected = parse_yaml(
      "{bound: 2.0, comparison: strict, tokens: null, suppress: [7], file: a.txt, enabled: false, share: "
      "0.1, "
      "small: 1,"
      " phase: {steps: 4}, phases: [{steps: 4}], weights: {p: 1.0}, any: null}",
      "e.yaml");
  EXPECT_EQ(effective, expected) << to_yaml(effective);
  EXPECT_EQ(to_node(bind<Settings>(effective)), effective);
}

TEST(Describe, ListsFieldsWithTypeDefaultUnitAndRange) {
  const std::vector<FieldDescription> fields = describe<Settings>();
  ASSERT_EQ(fields.size(), 12u);
  EXPECT_EQ(fields[0].name, "bound");
  EXPECT_EQ(fields[0].type, "number");
  EXPECT_EQ(fields[0].default_value, "0.1");
  EXPECT_EQ(fields[0].unit, "nats");
  EXPECT_EQ(fields[0].meaning, "largest sum");
  EXPECT_EQ(fields[0].range, ">= 0, < 10");
  EXPECT_EQ(fields[1].type, "strict | inclusive");
  EXPECT_EQ(fields[1].default_value, "strict");
  EXPECT_EQ(fields[2].type, "integer or null");
  EXPECT_EQ(fields[3].type, "list of integer");
  EXPECT_EQ(fields[3].default_value, "[7]");
  EXPECT_EQ(fields[8].name, "phase.steps");
  EXPECT_EQ(fields[9].type, "list of map");
}

}  // namespace
}  // namespace canvaslab::config
