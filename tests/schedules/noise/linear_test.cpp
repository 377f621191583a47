// The linear noise schedule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedules/noise/noise_schedule.h"
#include "tests/options.h"

namespace canvaslab {
namespace {

TEST(LinearNoise, FallsByTheSameAmountEverywhere) {
  const auto schedule = build<NoiseSchedule>("{name: linear}");
  EXPECT_EQ(schedule->survival(0), 1);
  EXPECT_EQ(schedule->survival(1), 0);
  EXPECT_EQ(schedule->survival(0.25), 0.75);
  EXPECT_EQ(schedule->survival(0.5), 0.5);
}

TEST(LinearNoise, TheRateIsTheSlopeOfTheSurvival) {
  const auto schedule = build<NoiseSchedule>("{name: linear}");
  for (const double t : {0.1, 0.35, 0.5, 0.9}) {
    const double slope = (schedule->survival(t + 1e-4) - schedule->survival(t - 1e-4)) / 2e-4;
    EXPECT_NEAR(schedule->rate(t), -slope, 1e-9) << t;
  }
}

TEST(LinearNoise, RefusesSettingsThatItDoesNotHave) {
  EXPECT_THAT(refusal<NoiseSchedule>("{name: linear, start: 0.1}"),
              ::testing::HasSubstr("unknown key 'start'"));
}

}  // namespace
}  // namespace canvaslab
