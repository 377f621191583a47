// The constant schedule.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "schedules/temperature/temperature_schedule.h"
#include "tests/options.h"

namespace canvaslab {
namespace {

TEST(ConstantTemperature, IsTheSameAtEveryStep) {
  for (const auto& [text, value] :
       {std::pair{"0", 0.0F}, {"1e-6", 1e-6F}, {"0.7", 0.7F}, {"1", 1.0F}, {"25", 25.0F}}) {
    const auto schedule = build<TemperatureSchedule>(fmt::format("{{name: constant, value: {}}}", text));
    for (int index = 0; index < 6; ++index) EXPECT_EQ(schedule->at({index, 6}), value);
  }
}

TEST(ConstantTemperature, IsOneUnlessToldOtherwise) {
  EXPECT_EQ(build<TemperatureSchedule>("{name: constant}")->at({0, 1}), 1.0F);
}

TEST(ConstantTemperature, RefusesBadSettings) {
  for (const char* bad :
       {"value: -0.1", "value: .nan", "value: .inf", "value: null", "value: warm", "temperature: 1"}) {
    EXPECT_NE(refusal<TemperatureSchedule>(fmt::format("{{name: constant, {}}}", bad)), "accepted") << bad;
  }
}

}  // namespace
}  // namespace canvaslab
