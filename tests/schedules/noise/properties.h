// What holds of every noise schedule.
#pragma once

#include <gtest/gtest.h>

#include "schedules/noise/noise_schedule.h"
#include "tests/options.h"

namespace canvaslab {

// alpha is a probability and never rises with the noise.
inline void expect_falls(const std::string& yaml) {
  const auto schedule = build<NoiseSchedule>(yaml);
  double before = 1;
  for (int i = 0; i <= 1000; ++i) {
    const double alpha = schedule->survival(i / 1000.0);
    EXPECT_LE(alpha, before) << yaml << " at " << i;
    EXPECT_GE(alpha, 0) << yaml << " at " << i;
    before = alpha;
  }
}

// The rate is the slope of alpha, by central differences.
inline void expect_rate_is_the_slope(const std::string& yaml) {
  const auto schedule = build<NoiseSchedule>(yaml);
  for (const double t : {0.1, 0.35, 0.5, 0.8, 0.95}) {
    const double slope = (schedule->survival(t + 1e-5) - schedule->survival(t - 1e-5)) / 2e-5;
    EXPECT_NEAR(schedule->rate(t), -slope, 1e-7 * (1 - slope)) << yaml << " at " << t;
  }
}

}  // namespace canvaslab
