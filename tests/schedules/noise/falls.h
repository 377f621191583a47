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

}  // namespace canvaslab
