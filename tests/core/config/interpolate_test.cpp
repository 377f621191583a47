// Interpolations: places, aliases, resolvers, escapes, errors and hostile trees. Values agree with
// OmegaConf's.
#include "core/config/interpolate.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/config/yaml.h"
#include "core/error.h"
#include "tests/core/config/processor_time.h"

namespace canvaslab::config {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Node resolved(const std::string& yaml, const ResolveOptions& options = {}) {
  return resolve(parse_yaml(yaml, "f.yaml"), options);
}

std::string error_of(const std::string& yaml, const ResolveOptions& options = {}) {
  try {
    resolved(yaml, options);
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Interpolate, AgreesWithOmegaConf) {
  const std::vector<std::pair<const char*, const char*>> cases{
      {"a: {x: 1, y: '${.x}', z: '${..q}', w: {v: '${..x}', u: '${...q}'}}\nq: 5\n",
       "a: {x: 1, y: 1, z: 5, w: {v: 1, u: 5}}\nq: 5\n"},
      {"m: {k1: a, k2: b}\nk: k1\nv: ${m.${k}}\nw: ${m[k2]}\n", "m: {k1: a, k2: b}\nk: k1\nv: a\nw: b\n"},
      {"l: [1, {a: 2}, '${l.0}', '${.0}']\nf: ${l.1.a}\n", "l: [1, {a: 2}, 1, 1]\nf: 2\n"},
      {"a: ${b}\nb: {x: 1, y: '${.x}', z: '${a.x}'}\n", "a: {x: 1, y: 1, z: 1}\nb: {x: 1, y: 1, z: 1}\n"},
      {"a: '\\${b}'\nb: 1\nc: '\\\\${b}'\nd: '\\\\\\${b}'\n", "a: '${b}'\nb: 1\nc: '\\1'\nd: '\\${b}'\n"},
      {"a: ${oc.decode:'[1,2]'}\nb: ${oc.decode:null}\nc: ${oc.decode:'1e3'}\n",
       "a: [1, 2]\nb: null\nc: 1000.0\n"},
      {"a: 1\nb: ${oc.select:zz,5}\nc: ${oc.select:zz}\nd: ${oc.select:a}\n", "a: 1\nb: 5\nc: null\nd: 1\n"},
      {"a: ${oc.create:{x:1,y:[2]}}\nb: ${a.x}\n", "a: {x: 1, y: [2]}\nb: 1\n"},
      {"a: ${oc.dict.keys:b}\nb: {x: 1, y: 2}\nc: ${oc.dict.values:b}\n",
       "a: [x, y]\nb: {x: 1, y: 2}\nc: [1, 2]\n"},
      {"d: 1.5e-7\nt: v=${d}\nf: 1.0\ng: v${f}\n", "d: 1.5e-7\nt: v=1.5e-07\nf: 1.0\ng: v1.0\n"},
      {"a: $b\nb: $\nd: $${e}\ne: 1\n", "a: $b\nb: $\nd: $1\ne: 1\n"},
      {"a: ${ b }\nb: null\n", "a: null\nb: null\n"}};
  for (const auto& [yaml, expected] : cases)
    EXPECT_EQ(resolved(yaml), parse_yaml(expected, "e.yaml")) << yaml << "gave\n" << to_yaml(resolved(yaml));
}

TEST(Interpolate, ReadsTheEnvironment) {
  setenv("CANVASLAB_TEST_SET", "12", 1);
  unsetenv("CANVASLAB_TEST_UNSET");
  EXPECT_EQ(
      resolved("a: ${oc.env:CANVASLAB_TEST_SET}\nb: ${oc.env:CANVASLAB_TEST_UNSET,'a,b'}\n"
               "c: ${oc.env:CANVASLAB_TEST_UNSET,1}\nd: ${oc.env:CANVASLAB_TEST_UNSET,null}\n"
               "e: ${oc.env:CANVASLAB_TEST_UNSET,${a}}\nf: ${oc.decode:${oc.env:CANVASLAB_TEST_SET}}\n"),
      parse_yaml("{a: '12', b: 'a,b', c: '1', d: null, e: '12', f: 12}", "e.yaml"));
  EXPECT_THAT(error_of("a: ${oc.env:CANVASLAB_TEST_UNSET}"),
              HasSubstr("Environment variable 'CANVASLAB_TEST_UNSET' not found"));
}

// A deviation: OmegaConf prints True and None inside text.
TEST(Interpolate, WritesBoolsAndNullInTextAsYaml) {
  EXPECT_EQ(resolved("a: x${b}${c}\nb: true\nc: null\n").find("a")->as_string(), "xtruenull");
}

TEST(Interpolate, LooksIntoTheHydraSettings) {
  const Node hydra = parse_yaml("runtime: {choices: {noise: masked}}", "h.yaml");
  EXPECT_EQ(resolved("a: ${hydra:runtime.choices.noise}", {.hydra = &hydra}).find("a")->as_string(),
            "masked");
  EXPECT_THAT(error_of("a: ${hydra:runtime.x}", {.hydra = &hydra}), HasSubstr("have no 'runtime.x'"));
  EXPECT_EQ(resolved("a: ${now:%Y}").find("a")->as_string().size(), 4u);
}

TEST(Interpolate, ErrorsNameKeyAndPlace) {
  EXPECT_THAT(
      error_of("x: 1\nout:\n  dir: runs/${nme}\nname: n\n"),
      AllOf(HasSubstr("f.yaml:3"), HasSubstr("Interpolation key 'nme' not found; did you mean 'name'?"),
            HasSubstr("full_key: out.dir")));
  EXPECT_THAT(error_of("a: ${b}\nb: ${c}\nc: ${a}\n"), HasSubstr("Interpolation cycle: a -> b -> c -> a"));
  EXPECT_THAT(error_of("a: {b: '${a}'}\n"), HasSubstr("cycle"));
  EXPECT_THAT(error_of("a: ${a.b}\n"), HasSubstr("cycle"));
  EXPECT_THAT(error_of("a: ${b}\nb: ???\n"), HasSubstr("'b' is ??? and must be set"));
  EXPECT_EQ(error_of("b: ???\n"), "no error");
  EXPECT_THAT(error_of("b: ???\n", {.refuse_mandatory = true}), HasSubstr("full_key: b"));
  EXPECT_THAT(error_of("a: ${oc.evn:X}"),
              HasSubstr("Unsupported interpolation type oc.evn; did you mean 'oc.env'?"));
  EXPECT_THAT(error_of("a: ${oc.env:}"), HasSubstr("takes 1 to 2 arguments, found 0"));
  EXPECT_THAT(error_of("a: ${....b}\nb: 1\n"), HasSubstr("leads above the root"));
  EXPECT_THAT(error_of("a: x${b}\nb: [1]\n"), HasSubstr("cannot stand inside text"));
}

TEST(Interpolate, EndsOnHostileTrees) {
  std::string doubling = "a0: xxxxxxxx\n", wide = "a0: [1, 1]\n", chain = "a0: 1\n";
  for (int i = 1; i < 60; ++i) {
    doubling += fmt::format("a{0}: ${{a{1}}}${{a{1}}}\n", i, i - 1);
    wide += fmt::format("a{0}: ['${{a{1}}}', '${{a{1}}}']\n", i, i - 1);
  }
  for (int i = 1; i < 2000; ++i) chain += fmt::format("a{}: ${{a{}}}\n", i, i - 1);
  std::string nested = "1";
  for (int i = 0; i < 20000; ++i) nested = "${" + nested + "}";
  for (const std::string& yaml : {doubling, wide, "z: ${a1999}\n" + chain, "a: " + nested + "\n"}) {
    const ProcessorTime time;
    EXPECT_NE(error_of(yaml), "no error") << yaml.substr(0, 60);
    EXPECT_LT(time.seconds(), kHostileInputSeconds) << yaml.substr(0, 60);
  }
}

}  // namespace
}  // namespace canvaslab::config
