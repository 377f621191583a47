// YAML reading and writing: places, errors, aliases and merges, hostile input, and texts that read back
// equal.
#include "core/config/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "core/config/scalar.h"
#include "core/error.h"
#include "tests/core/config/processor_time.h"

namespace canvaslab::config {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string error_of(const std::string& text) {
  try {
    parse_yaml(text, "f.yaml");
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Yaml, KeepsOrderAndPlaces) {
  const Node root = parse_yaml("b: 1\na:\n  c: [x,\n    y]\n", "f.yaml");
  ASSERT_EQ(root.entries().size(), 2u);
  EXPECT_EQ(root.entries()[0].key, "b");
  EXPECT_EQ(select(root, "a")->source().text(), "f.yaml:2");
  EXPECT_EQ(select(root, "a.c.1")->source().text(), "f.yaml:4");
  EXPECT_EQ(select(root, "a.c[1]")->as_string(), "y");
  EXPECT_EQ(select(root, "a.c.2"), nullptr);
  EXPECT_EQ(select(root, "a.d.e"), nullptr);
}

// What PyYAML with Hydra's additions reads, recorded from it.
TEST(Yaml, ReadsScalarsAsHydraDoes) {
  const auto real = [](const char* text) { return plain_scalar(text).as_real(); };
  const auto integer = [](const char* text) { return plain_scalar(text).as_integer(); };
  EXPECT_EQ(integer("-017"), -15);
  EXPECT_EQ(integer("0b101"), 5);
  EXPECT_EQ(integer("0_"), 0);
  EXPECT_EQ(integer("-1:30"), -90);
  EXPECT_EQ(integer("190:20:30"), 685230);
  EXPECT_EQ(real("1."), 1.0);
  EXPECT_EQ(real("1E5"), 1e5);
  EXPECT_EQ(real(".5e+3"), 500.0);
  EXPECT_EQ(real("1:30.5"), 90.5);
  EXPECT_EQ(real("-.inf"), -HUGE_VAL);
  EXPECT_EQ(real("1e400"), HUGE_VAL);
  EXPECT_TRUE(std::isnan(real(".NaN")));
  EXPECT_TRUE(plain_scalar("???").is_mandatory());
  for (const char* text :
       {"08",   "-.5", "+.5", ".5e3", "1:60", "01:30", "0X1F",       "1__.e", "_1",    "1e",
        ".iNf", "yES", "y",   "nULL", "None", "0o17",  "2020-01-01", "-",     "1,000", "1 000"})
    EXPECT_TRUE(plain_scalar(text).is_string()) << text;
  EXPECT_THROW(plain_scalar("9223372036854775808"), ConfigurationError);
}

TEST(Yaml, ErrorsNameFileLineAndCause) {
  EXPECT_THAT(error_of("a: 1\nb: 2\na: 3\n"),
              AllOf(HasSubstr("f.yaml: line 3"), HasSubstr("duplicate key a")));
  EXPECT_THAT(error_of("a: {b: 1, b: 2}\n"), HasSubstr("duplicate key b"));
  EXPECT_THAT(error_of("a: 1\nb: [1\n"), HasSubstr("f.yaml: line"));
  EXPECT_THAT(error_of("x: 1\na: 'x\n"),
              HasSubstr("f.yaml: line 2, column 4: the quote that starts here does not end"));
  EXPECT_THAT(error_of("a: *no\n"), HasSubstr("f.yaml: line 1"));
  EXPECT_THAT(error_of("a: &x [1, *x]\n"), HasSubstr("inside the value that it names"));
  EXPECT_THAT(error_of("? [a]\n: b\n"), HasSubstr("a key must be a scalar"));
  EXPECT_THAT(error_of("null: b\n"), HasSubstr("a key must not be null"));
  EXPECT_THAT(error_of("a: !!python/object/apply:os.system ['x']\n"), HasSubstr("is not known"));
  EXPECT_THAT(error_of("a: !!int x\n"), HasSubstr("does not fit"));
  EXPECT_THAT(error_of("a: 99999999999999999999\n"), AllOf(HasSubstr("line 1"), HasSubstr("64 bits")));
  EXPECT_THAT(error_of("a: 1\n---\nb: 1\n"), HasSubstr("more than one YAML document"));
  EXPECT_THAT(error_of("a: 1\nb: {<<: 3}\n"), HasSubstr("`<<` needs a map"));
}

TEST(Yaml, FollowsAliasesAndMerges) {
  const Node root = parse_yaml("x: &x {b: 1, c: 2}\ny: *x\nz: {<<: *x, c: 3, d: 4}\n", "f.yaml");
  EXPECT_EQ(*root.find("y"), *root.find("x"));
  EXPECT_EQ(*root.find("z"), parse_yaml("{b: 1, c: 3, d: 4}", "e.yaml"));
}

TEST(Yaml, RefusesHostileInputQuickly) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string name = std::to_string(i), previous = std::to_string(i - 1);
    bomb.append("a").append(name).append(": &a").append(name).append(" [");
    for (int j = 0; j < 9; ++j) bomb.append("*a").append(previous).append(", ");
    bomb.append("*a").append(previous).append("]\n");
  }
  std::string keys;
  for (int i = 0; i < 60'000; ++i) keys.append("k").append(std::to_string(i)).append(": 1\n");
  const std::vector<std::pair<std::string, std::string>> inputs{
      {bomb, "more than 100000 values"},
      {std::string(100'000, '['), "f.yaml: line 1"},
      {"a: " + std::string(400, '[') + std::string(400, ']'), "nested more than 64 deep"},
      {"a: " + std::string(5'000, '{'), "f.yaml: line 1"},
      {std::string(2 << 20, 'x'), "longer than"},
      {keys, "more than 100000 values"},
      {std::string(300'000, '-'), ""},
      {"a: \"" + std::string(500'000, '\\'), "f.yaml"}};
  for (const auto& [text, expected] : inputs) {
    const ProcessorTime time;
    EXPECT_THAT(error_of(text), HasSubstr(expected)) << text.substr(0, 40);
    EXPECT_LT(time.seconds(), kHostileInputSeconds) << text.substr(0, 40);
  }
}

TEST(Yaml, WritesWhatReadsBackEqual) {
  const std::vector<std::string> texts{
      "",     " lead",      "trail ", "a: b", "a #b",   "- a",  "yes",  "null", "~",
      "1",    "1e3",        "0x1F",   "017",  "1:30",   ".inf", "nan",  "it's", "a\"b",
      "a\nb", "a\n",        "\t",     "{a",   "[",      "*a",   "&a",   "!x",   "%x",
      "@x",   "`x",         "|",      ">",    "?",      "-",    "---",  "...",  "= ",
      "=",    "<<",         "é日本",  "\x01", "\\",     "\\n",  "a:",   ":a",   "#a",
      "x, y", "2020-01-01", "08",     "y",    "${a.b}", "-.5",  "\r\n", "\x7f", "99999999999999999999"};
  Node list = Node::list(), map = Node::map();
  for (const std::string& text : texts) {
    list.items().emplace_back(text);
    map.set(text, Node(text));
  }
  Node root = Node::map();
  root.set("list", list).at({});
  root.set("map", map);
  Node nested = Node::list();
  nested.items().push_back(list);
  nested.items().push_back(Node::list());
  nested.items().push_back(Node::map());
  nested.items().push_back(root);
  root.set("nested", nested);
  root.set(
      "scalars",
      parse_yaml("[null, \"???\", true, -3, 0.1, 1.0e-05, 1.0e+22, -.inf, 9223372036854775807]", "s.yaml"));
  EXPECT_EQ(parse_yaml(to_yaml(root), "f.yaml"), root) << to_yaml(root);
}

TEST(Yaml, WritesRandomTextsAndNumbersThatReadBackEqual) {
  std::mt19937_64 random(7);
  const std::string letters = "01a :#-?.,[]{}&*!|>%@\"'~=e+_/\\\n\tyn";
  Node list = Node::list();
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (std::uint64_t j = random() % 6; j < 6; ++j) text += letters[random() % letters.size()];
    if (text != "???") list.items().emplace_back(text);
    const double number = std::bit_cast<double>(random());
    if (!std::isnan(number)) list.items().emplace_back(number);
  }
  const Node read = parse_yaml(to_yaml(list), "f.yaml");
  ASSERT_EQ(read.items().size(), list.items().size());
  for (std::size_t i = 0; i < list.items().size(); ++i) EXPECT_EQ(read.items()[i], list.items()[i]);
}

}  // namespace
}  // namespace canvaslab::config
