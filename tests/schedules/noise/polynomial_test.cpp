// The polynomial noise schedule.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/schedules/noise/properties.h"

namespace canvaslab {
namespace {

double at(const std::string& settings, double t) {
  return build<NoiseSchedule>("{name: polynomial, " + settings + "}")->survival(t);
}

TEST(PolynomialNoise, HasItsValues) {
  EXPECT_EQ(at("exponent: 2", 0.5), 0.75);
  EXPECT_EQ(at("exponent: 3", 0.5), 0.875);
  EXPECT_EQ(at("exponent: 0.5", 0.25), 0.5);
  EXPECT_EQ(at("exponent: 1", 0.25), 0.75);
  EXPECT_EQ(build<NoiseSchedule>("{name: polynomial}")->survival(0.25), 1 - 0.0625);
  for (const char* exponent : {"exponent: 0.5", "exponent: 2", "exponent: 7"}) {
    EXPECT_EQ(at(exponent, 0), 1) << exponent;
    EXPECT_EQ(at(exponent, 1), 0) << exponent;
  }
}

TEST(PolynomialNoise, Falls) {
  expect_falls("{name: polynomial}");
  expect_falls("{name: polynomial, exponent: 0.3}");
}

TEST(PolynomialNoise, TheRateIsTheSlopeOfTheSurvival) {
  expect_rate_is_the_slope("{name: polynomial}");
  expect_rate_is_the_slope("{name: polynomial, exponent: 0.3}");
}

TEST(PolynomialNoise, RefusesBadSettings) {
  for (const char* bad : {"exponent: 0", "exponent: -1", "exponent: .nan", "exponent: null", "power: 2"})
    EXPECT_NE(refusal<NoiseSchedule>(fmt::format("{{name: polynomial, {}}}", bad)), "accepted") << bad;
}

}  // namespace
}  // namespace canvaslab
