// The geometric noise schedule.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/schedules/noise/properties.h"

namespace canvaslab {
namespace {

double level(const std::string& settings, double t) {
  return -std::log(build<NoiseSchedule>("{name: geometric, " + settings + "}")->survival(t));
}

TEST(GeometricNoise, TheNoiseLevelRunsFromMinimumToMaximum) {
  EXPECT_NEAR(level("minimum: 0.01, maximum: 4", 0), 0.01, 1e-12);
  EXPECT_NEAR(level("minimum: 0.01, maximum: 4", 1), 4, 1e-12);
  EXPECT_NEAR(level("minimum: 0.01, maximum: 4", 0.5), 0.2, 1e-12);  // the geometric mean
  EXPECT_NEAR(level("minimum: 0.25, maximum: 4", 0.25), 0.5, 1e-12);
  EXPECT_NEAR(level("minimum: 0.0001", 1), 20, 1e-6);
  EXPECT_NEAR(level("maximum: 20", 0), 1e-4, 1e-12);
}

TEST(GeometricNoise, GrowsByTheSameFactorEverywhere) {
  for (int i = 0; i < 9; ++i) {
    const double ratio =
        level("minimum: 0.5, maximum: 8", (i + 1) / 10.0) / level("minimum: 0.5, maximum: 8", i / 10.0);
    EXPECT_NEAR(ratio, std::pow(16, 0.1), 1e-9);
  }
}

TEST(GeometricNoise, Falls) {
  expect_falls("{name: geometric}");
  expect_falls("{name: geometric, minimum: 0.5, maximum: 3}");
}

TEST(GeometricNoise, TheRateIsTheSlopeOfTheSurvival) {
  expect_rate_is_the_slope("{name: geometric}");
  expect_rate_is_the_slope("{name: geometric, minimum: 0.5, maximum: 3}");
}

TEST(GeometricNoise, RefusesBadSettings) {
  for (const char* bad :
       {"minimum: 0", "minimum: -1", "maximum: 0", "maximum: .inf", "minimum: null", "sigma: 1"})
    EXPECT_NE(refusal<NoiseSchedule>(fmt::format("{{name: geometric, {}}}", bad)), "accepted") << bad;
  EXPECT_THAT(refusal<NoiseSchedule>("{name: geometric, minimum: 20}"),
              ::testing::HasSubstr("noise_schedule.minimum = 20 is not below noise_schedule.maximum = 20"));
}

}  // namespace
}  // namespace canvaslab
