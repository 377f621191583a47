// The cosine noise schedule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/schedules/noise/properties.h"

namespace canvaslab {
namespace {

TEST(CosineNoise, HasItsValues) {
  const auto schedule = build<NoiseSchedule>("{name: cosine}");
  EXPECT_EQ(schedule->survival(0), 1);
  EXPECT_EQ(schedule->survival(1), 0);
  EXPECT_NEAR(schedule->survival(0.5), 1 - std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(schedule->survival(1.0 / 3), 0.5, 1e-15);
  EXPECT_NEAR(schedule->survival(2.0 / 3), 1 - std::sqrt(0.75), 1e-15);
}

TEST(CosineNoise, Falls) {
  expect_falls("{name: cosine}");
}

TEST(CosineNoise, TheRateIsTheSlopeOfTheSurvival) {
  expect_rate_is_the_slope("{name: cosine}");
}

TEST(CosineNoise, RefusesSettingsThatItDoesNotHave) {
  EXPECT_THAT(refusal<NoiseSchedule>("{name: cosine, start: 0.1}"),
              ::testing::HasSubstr("unknown key 'start'"));
}

}  // namespace
}  // namespace canvaslab
