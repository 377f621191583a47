// The cosine schedule of temperatures against its closed form.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "schedules/temperature/temperature_schedule.h"
#include "tests/options.h"

namespace canvaslab {
namespace {

float at(const std::string& settings, int index, int count) {
  return build<TemperatureSchedule>("{name: cosine, " + settings + "}")->at({index, count});
}

// cos^2 of half the angle, from what is done instead of what is to go.
TEST(CosineTemperature, FollowsItsClosedForm) {
  for (const int count : {1, 2, 7, 48}) {
    for (int index = 0; index < count; ++index) {
      const double done = static_cast<double>(index) / count;
      const double expected = 0.25 + 1.25 * std::pow(std::cos(std::acos(-1.0) / 2 * done), 2);
      EXPECT_NEAR(at("maximum: 1.5, minimum: 0.25", index, count), expected, 1e-6);
    }
  }
}

TEST(CosineTemperature, BeginsFlatAndEndsAboveItsMinimum) {
  EXPECT_FLOAT_EQ(at("maximum: 0.8, minimum: 0.4", 0, 4), 0.8F);
  EXPECT_FLOAT_EQ(at("maximum: 0.8, minimum: 0.4", 2, 4), 0.6F);
  EXPECT_NEAR(at("maximum: 0.8, minimum: 0.4", 1, 4), 0.6 + 0.2 * std::sqrt(0.5), 1e-6);
  EXPECT_NEAR(at("maximum: 0.8, minimum: 0.4", 3, 4), 0.6 - 0.2 * std::sqrt(0.5), 1e-6);
}

TEST(CosineTemperature, EndpointIncludedReachesTheMinimum) {
  EXPECT_FLOAT_EQ(at("endpoint: included", 0, 5), 0.8F);
  EXPECT_FLOAT_EQ(at("endpoint: included", 2, 5), 0.6F);
  EXPECT_FLOAT_EQ(at("endpoint: included", 4, 5), 0.4F);
  EXPECT_GT(at("endpoint: excluded", 4, 5), 0.42F);
  EXPECT_FLOAT_EQ(at("endpoint: included", 0, 1), 0.8F);
}

TEST(CosineTemperature, ZeroIsAllowed) {
  EXPECT_EQ(at("maximum: 0, minimum: 0", 3, 10), 0.0F);
  EXPECT_EQ(at("maximum: 0.5, minimum: 0, endpoint: included", 9, 10), 0.0F);
}

TEST(CosineTemperature, RefusesBadSettings) {
  for (const char* bad :
       {"maximum: -1", "minimum: -0.1", "maximum: .inf", "minimum: null", "endpoint: open", "exponent: 1"})
    EXPECT_NE(refusal<TemperatureSchedule>(fmt::format("{{name: cosine, {}}}", bad)), "accepted") << bad;
  EXPECT_THAT(refusal<TemperatureSchedule>("{name: cosine, maximum: 0.3}"),
              ::testing::HasSubstr("temperature.minimum = 0.4 is above temperature.maximum = 0.3"));
}

}  // namespace
}  // namespace canvaslab
