// The registry: building options by name, nested options, errors, effective values and duplicates.
#include "core/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/config/yaml.h"

namespace canvaslab {
namespace {

using config::parse_yaml;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Shape {
 public:
  virtual ~Shape() = default;
  virtual double area() const = 0;
};

class Square : public Shape {
 public:
  struct Config {
    double side = 2;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit("side", side, {.unit = "m", .meaning = "length of a side", .above = 0});
    }
  };
  explicit Square(Config config) : config_(config) {
    if (config_.side == 13) throw ConfigurationError("a side of 13 m is refused by the constructor");
  }
  double area() const override { return config_.side * config_.side; }

 private:
  Config config_;
};

class Scaled : public Shape {
 public:
  struct Config {
    double factor = 3;
    std::unique_ptr<Shape> inner;
    std::vector<std::unique_ptr<Shape>> more;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit("factor", factor, {.meaning = "what the areas are multiplied by"});
      visit("inner", inner, {.meaning = "the shape that is scaled"});
      visit("more", more);
    }
  };
  explicit Scaled(Config config) : config_(std::move(config)) {}
  double area() const override {
    double sum = config_.inner ? config_.inner->area() : 0;
    for (const auto& shape : config_.more) sum += shape->area();
    return config_.factor * sum;
  }

 private:
  Config config_;
};

CANVASLAB_REGISTER(Shape, Square, "square", "All sides are equal", "Elements, book 1");
CANVASLAB_REGISTER(Shape, Scaled, "scaled", "Another shape, scaled");

std::string error_of(const std::string& yaml) {
  try {
    Registry<Shape>::build(parse_yaml(yaml, "s.yaml"));
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Registry, BuildsByName) {
  EXPECT_EQ(Registry<Shape>::build(parse_yaml("name: square\nside: 3\n", "s.yaml"))->area(), 9);
  EXPECT_EQ(Registry<Shape>::build(parse_yaml("{name: square}", "s.yaml"))->area(), 4);
  EXPECT_THAT(Registry<Shape>::names(), ElementsAre("scaled", "square"));
  EXPECT_STREQ(Registry<Shape>::find("square")->paper, "Elements, book 1");
  EXPECT_STREQ(Registry<Shape>::find("scaled")->paper, "");
  EXPECT_EQ(Registry<Shape>::find("circle"), nullptr);
}

TEST(Registry, BuildsNestedOptions) {
  const char* yaml =
      "name: scaled\nfactor: 2\ninner: {name: square, side: 3}\nmore: [{name: square}, {name: scaled}]\n";
  EXPECT_EQ(Registry<Shape>::build(parse_yaml(yaml, "s.yaml"))->area(), 26);
  EXPECT_EQ(Registry<Shape>::build(parse_yaml("{name: scaled, inner: null}", "s.yaml"))->area(), 0);
}

TEST(Registry, ErrorsNamePlaceAndNearestName) {
  EXPECT_THAT(error_of("name: squar\n"),
              AllOf(HasSubstr("s.yaml:1: name: unknown option 'squar'; did you mean 'square'?"),
                    HasSubstr("expected one of scaled, square")));
  EXPECT_THAT(error_of("side: 1\n"), HasSubstr("name: is missing; expected one of scaled, square"));
  EXPECT_THAT(error_of("name: scaled\ninner:\n  name: square\n  sides: 1\n"),
              AllOf(HasSubstr("s.yaml:4: inner.sides: unknown key 'sides'; did you mean 'side'?"),
                    HasSubstr("allowed: name, side")));
  EXPECT_THAT(
      error_of("name: scaled\nmore:\n- {name: square, side: 0}\n- {name: square, side: x}\n"),
      AllOf(HasSubstr("2 errors"), HasSubstr("s.yaml:3: more.0.side: expected a number > 0 (m), found 0"),
            HasSubstr("s.yaml:4: more.1.side: expected a number > 0 (m), found a string, 'x'")));
  EXPECT_THAT(error_of("name: scaled\ninner: {name: square, side: 13}\n"),
              HasSubstr("s.yaml:2: inner: a side of 13 m is refused by the constructor"));
  EXPECT_THAT(error_of("[1]"), HasSubstr("expected a map, found a list of 1"));
}

TEST(Registry, EffectiveShowsDefaultsThroughNesting) {
  const auto given =
      parse_yaml("name: scaled\ninner: {name: square}\nmore: [{name: square, side: 5}]\n", "s.yaml");
  const auto expected = parse_yaml(
      "name: scaled\nfactor: 3.0\ninner: {name: square, side: 2.0}\nmore: [{name: square, side: 5.0}]\n",
      "e.yaml");
  EXPECT_EQ(Registry<Shape>::effective(given), expected)
      << config::to_yaml(Registry<Shape>::effective(given));
  EXPECT_THROW(Registry<Shape>::effective(parse_yaml("{name: scaled, factor: x}", "s.yaml")),
               ConfigurationError);
}

TEST(Registry, EffectiveConstructsNothing) {
  const auto given = parse_yaml("{name: scaled, inner: {name: square, side: 13}}", "s.yaml");
  EXPECT_EQ(Registry<Shape>::effective(given).find("inner")->find("side")->as_real(), 13);
}

TEST(Registry, DescribesTheConfiguration) {
  const auto fields = Registry<Shape>::find("scaled")->describe();
  ASSERT_EQ(fields.size(), 3u);
  EXPECT_EQ(fields[0].default_value, "3.0");
  EXPECT_EQ(fields[1].type, "option: scaled, square");
  EXPECT_EQ(fields[1].default_value, "null");
}

class Twin {
 public:
  virtual ~Twin() = default;
};
class Castor : public Twin {
 public:
  struct Config {
    template <class Visitor>
    void fields(Visitor&) {}
  };
  explicit Castor(Config) {}
};

TEST(Registry, ReportsADuplicateWithBothPlaces) {
  Registry<Twin>::add<Castor>(__FILE__, __LINE__, "castor", "the first");
  EXPECT_NO_THROW(Registry<Twin>::find("castor"));
  Registry<Twin>::add<Castor>(__FILE__, __LINE__, "castor", "the second");
  try {
    Registry<Twin>::find("castor");
    FAIL() << "a duplicate was accepted";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_THAT(text, HasSubstr("the option 'castor' is registered twice"));
    const std::size_t first = text.find("registry_test.cpp:");
    EXPECT_NE(text.find("registry_test.cpp:", first + 1), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace canvaslab
