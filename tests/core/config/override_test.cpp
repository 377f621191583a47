// The override grammar: keys, kinds, typed values, sweeps and errors. Values were recorded from hydra-core's
// parser.
#include "core/config/override.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/config/yaml.h"
#include "core/error.h"

namespace canvaslab::config {
namespace {

using ::testing::HasSubstr;

Node value_of(const std::string& text) {
  return parse_override("k=" + text).value.value();
}

std::string error_of(const std::string& word) {
  try {
    parse_override(word);
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Override, TellsKindsKeysAndPackages) {
  const auto check = [](const char* word, Override::Kind kind, const char* key, const char* choice_key) {
    const Override parsed = parse_override(word);
    EXPECT_EQ(parsed.kind, kind) << word;
    EXPECT_EQ(parsed.key, key) << word;
    EXPECT_EQ(parsed.choice_key(), choice_key) << word;
    EXPECT_EQ(parsed.word, word);
  };
  check("a.b.0=1", Override::Kind::kSet, "a.b.0", "a.b.0");
  check("+a=1", Override::Kind::kAdd, "a", "a");
  check("++a=1", Override::Kind::kForceAdd, "a", "a");
  check("~a", Override::Kind::kDelete, "a", "a");
  check("~a=1", Override::Kind::kDelete, "a", "a");
  check("db/mysql@x.y=1", Override::Kind::kSet, "db/mysql", "db/mysql@x.y");
  check("$a-b_1=1", Override::Kind::kSet, "$a-b_1", "$a-b_1");
  EXPECT_FALSE(parse_override("~a").value);
}

TEST(Override, TypesValues) {
  const std::vector<std::pair<const char*, const char*>> as_yaml{
      {"1", "1"},
      {"+3", "3"},
      {"1_000", "1000"},
      {"01", "'01'"},
      {"1__0", "'1__0'"},
      {".5", "0.5"},
      {"1.", "1.0"},
      {"1.e3", "1000.0"},
      {"1E+5", "100000.0"},
      {"inf", ".inf"},
      {"-INF", "-.inf"},
      {"TRUE", "true"},
      {"NULL", "null"},
      {"", "''"},
      {"yes", "'yes'"},
      {"None", "None"},
      {" x ", "x"},
      {"hello  world", "hello  world"},
      {"a:b", "a:b"},
      {"true false", "true false"},
      {"nullx", "nullx"},
      {"-x", "-x"},
      {"1a", "1a"},
      {"a\\,b\\=c", "'a,b=c'"},
      {"\\ ", "' '"},
      {"a\\b", "a\\b"},
      {"'1'", "'1'"},
      {"'it\\'s'", "it's"},
      {"'a\\\\'", "a\\"},
      {"'a\"b'", "a\"b"},
      {"[]", "[]"},
      {"[ 1 , two,[3.0,null] ]", "[1, two, [3.0, null]]"},
      {"{a:1,b:{c:[x y,'z']}}", "{a: 1, b: {c: [x y, z]}}"},
      {"{a b: 1, 2: x}", "{a b: 1, 2: x}"},
      {"${a.b}", "${a.b}"},
      {"x_${a}", "x_${a}"},
      {"int(3.7)", "3"},
      {"int('3')", "3"},
      {"float(3)", "3.0"},
      {"str([1,{a:2}])", "['1', {a: '2'}]"},
      {"bool(1)", "true"},
      {"int( -3.7 )", "-3"},
      {"9223372036854775807", "9223372036854775807"}};
  for (const auto& [text, yaml] : as_yaml) {
    Node expected = parse_yaml(std::string("- ") + yaml, "e.yaml").items()[0];
    EXPECT_EQ(value_of(text), expected) << text << " gave " << to_yaml(value_of(text));
  }
  EXPECT_TRUE(value_of("???").is_mandatory());
  EXPECT_TRUE(std::isnan(value_of("nan").as_real()));
  EXPECT_EQ(value_of("[1]").items()[0].source().text(), "command line 'k=[1]'");
}

TEST(Override, RecognisesSweeps) {
  const auto sweep = [](const char* text) { return parse_override(std::string("k=") + text).sweep.value(); };
  EXPECT_TRUE(sweep("1,2").comma_list);
  EXPECT_EQ(sweep("1,x").choices[1].node.as_string(), "x");
  EXPECT_FALSE(sweep("choice(1,2,3)").comma_list);
  EXPECT_EQ(sweep("choice(1,2,3)").choices.size(), 3u);
  EXPECT_EQ(sweep("range(0,stop=3)").stop, Node(3));
  EXPECT_EQ(sweep("interval(0,1)").kind, Sweep::Kind::kInterval);
  EXPECT_EQ(sweep("glob(*,exclude=r*)").exclude[0], "r*");
  EXPECT_EQ(sweep("int(1.5,2.5)").choices[1].node.as_integer(), 2);
  EXPECT_EQ(sweep("tag(a,b,choice(1,2))").tags, (std::set<std::string>{"a", "b"}));
  EXPECT_TRUE(sweep("shuffle(1,2)").shuffled);
  EXPECT_EQ(value_of("sort([3,1,2])"), value_of("[1,2,3]"));
}

TEST(Override, RefusesWhatHydraRefuses) {
  for (const char* text : {"a&b",
                           "a;b",
                           "#",
                           "!",
                           "~",
                           "a'b",
                           "é",
                           "a(b)",
                           "[1,",
                           "{a:1",
                           "{a}",
                           "{null: 1}",
                           "[1,]",
                           "{'a': 1}",
                           "'",
                           "'x' ",
                           "a=b",
                           "[1]x",
                           ",",
                           "1,",
                           ")",
                           "foo(1)",
                           "int(x)",
                           "range()",
                           "range(a)",
                           "${a.${b}}",
                           "choice(choice(1,2),3)",
                           "choice(choice(1,2))",
                           "sort(1,a)",
                           "tag(a)",
                           "str(range(3))",
                           "shuffle(interval(0,1))",
                           "range(1,2,start=3)",
                           "[1,choice(2,3)]",
                           "9223372036854775808"})
    EXPECT_THROW(parse_override(std::string("k=") + text), ConfigurationError) << text;
  for (const char* word :
       {"k", "+k", "=x=y", " k=1", "k =1", "1k=1", "a..b=1", "a/=1", "-a=1", "+++a=1", "~+a", "a@b@c=1"})
    EXPECT_THROW(parse_override(word), ConfigurationError) << word;
}

TEST(Override, ErrorsNameWordAndPosition) {
  EXPECT_THAT(error_of("k=a&b"),
              HasSubstr("command line 'k=a&b': cannot be parsed: position 2: '&' must be quoted"));
  EXPECT_THAT(error_of("k=é"), HasSubstr("position 1: 'é' must be quoted"));
  EXPECT_THAT(error_of("k=[1 2"), HasSubstr("position 5: expected ']' or ',', found the end"));
  EXPECT_THAT(error_of("k=flaot(1)"), HasSubstr("unknown function 'flaot'; did you mean 'float'?"));
  EXPECT_THAT(error_of("k=" + std::string(1000, '[')), HasSubstr("nested more than 64 deep"));
}

}  // namespace
}  // namespace canvaslab::config
