// The log-linear noise schedule.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/schedules/noise/properties.h"

namespace canvaslab {
namespace {

// As published: alpha is exp(-sigma) of the noise level sigma = -log1p(-(1 - epsilon) t).
TEST(LoglinearNoise, IsTheExponentialOfItsNoiseLevel) {
  const auto schedule = build<NoiseSchedule>("{name: loglinear, epsilon: 0.25}");
  for (int i = 0; i <= 20; ++i) {
    const double t = i / 20.0, sigma = -std::log1p(-(1 - 0.25) * t);
    EXPECT_NEAR(schedule->survival(t), std::exp(-sigma), 1e-15);
  }
}

TEST(LoglinearNoise, EpsilonIsLeftOver) {
  EXPECT_EQ(build<NoiseSchedule>("{name: loglinear}")->survival(0), 1);
  EXPECT_NEAR(build<NoiseSchedule>("{name: loglinear}")->survival(1), 1e-3, 1e-15);
  EXPECT_NEAR(build<NoiseSchedule>("{name: loglinear, epsilon: 0.2}")->survival(1), 0.2, 1e-15);
}

TEST(LoglinearNoise, Falls) {
  expect_falls("{name: loglinear}");
  expect_falls("{name: loglinear, epsilon: 0.5}");
}

TEST(LoglinearNoise, TheRateIsTheSlopeOfTheSurvival) {
  expect_rate_is_the_slope("{name: loglinear}");
  expect_rate_is_the_slope("{name: loglinear, epsilon: 0.5}");
}

TEST(LoglinearNoise, RefusesBadSettings) {
  for (const char* bad : {"epsilon: 0", "epsilon: 1", "epsilon: -0.1", "epsilon: .nan", "eps: 0.1"})
    EXPECT_NE(refusal<NoiseSchedule>(fmt::format("{{name: loglinear, {}}}", bad)), "accepted") << bad;
}

}  // namespace
}  // namespace canvaslab
