// The linear schedule against its closed forms, and the effect of each of its settings.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "schedules/temperature/temperature_schedule.h"
#include "tests/options.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

float at(const std::string& settings, int index, int count) {
  return build<TemperatureSchedule>("{name: linear, " + settings + "}")->at({index, count});
}

TEST(LinearTemperature, TheRecommendedScheduleEndsAboveItsMinimum) {
  EXPECT_FLOAT_EQ(at("maximum: 0.8, minimum: 0.4", 0, 48), 0.8F);
  EXPECT_FLOAT_EQ(at("maximum: 0.8, minimum: 0.4", 24, 48), 0.6F);
  EXPECT_FLOAT_EQ(at("maximum: 0.8, minimum: 0.4", 47, 48), 0.4F + 0.4F / 48);  // 0.4083, never 0.4
}

TEST(LinearTemperature, FollowsItsClosedForm) {
  for (const double exponent : {0.5, 1.0, 2.0, 3.5}) {
    for (const int count : {1, 2, 7, 48}) {
      for (int index = 0; index < count; ++index) {
        const double p = static_cast<double>(count - index) / count;
        const double expected = 0.25 + (1.5 - 0.25) * (1 - std::pow(1 - p, exponent));
        EXPECT_NEAR(at(fmt::format("maximum: 1.5, minimum: 0.25, exponent: {}", exponent), index, count),
                    expected, 1e-6);
      }
    }
  }
}

TEST(LinearTemperature, EndpointIncludedReachesTheMinimum) {
  EXPECT_FLOAT_EQ(at("endpoint: included", 0, 5), 0.8F);
  EXPECT_FLOAT_EQ(at("endpoint: included", 1, 5), 0.7F);
  EXPECT_FLOAT_EQ(at("endpoint: included", 4, 5), 0.4F);
  EXPECT_FLOAT_EQ(at("endpoint: excluded", 1, 5), 0.72F);
  EXPECT_FLOAT_EQ(at("endpoint: excluded", 4, 5), 0.48F);
}

TEST(LinearTemperature, ASingleStepHasTheMaximum) {
  EXPECT_FLOAT_EQ(at("endpoint: excluded", 0, 1), 0.8F);
  EXPECT_FLOAT_EQ(at("endpoint: included", 0, 1), 0.8F);
}

TEST(LinearTemperature, EqualLimitsAreAConstant) {
  for (const int index : {0, 3, 9}) EXPECT_EQ(at("maximum: 0.7, minimum: 0.7", index, 10), 0.7F);
}

// Zero is greedy, and nothing in between is negative or not a number.
TEST(LinearTemperature, ZeroIsAllowed) {
  for (const int index : {0, 5, 9}) EXPECT_EQ(at("maximum: 0, minimum: 0", index, 10), 0.0F);
  EXPECT_EQ(at("maximum: 0.5, minimum: 0, endpoint: included", 9, 10), 0.0F);
  for (int index = 0; index < 10; ++index) EXPECT_GT(at("maximum: 0.5, minimum: 0", index, 10), 0.0F);
}

TEST(LinearTemperature, NeverRises) {
  for (const char* settings : {"exponent: 1", "exponent: 3", "exponent: 0.3", "endpoint: included"}) {
    for (int index = 1; index < 48; ++index)
      EXPECT_LE(at(settings, index, 48), at(settings, index - 1, 48)) << settings;
  }
}

TEST(LinearTemperature, RefusesBadSettings) {
  for (const char* bad : {"maximum: -1", "minimum: -0.1", "exponent: 0", "exponent: -1", "endpoint: open",
                          "maximum: .nan", "maximum: .inf", "minimum: null"}) {
    EXPECT_NE(refusal<TemperatureSchedule>(fmt::format("{{name: linear, {}}}", bad)), "accepted") << bad;
  }
  EXPECT_THAT(refusal<TemperatureSchedule>("{name: linear, maximum: 0.4, minimum: 0.8}"),
              HasSubstr("0.8 is above"));
  EXPECT_THAT(refusal<TemperatureSchedule>("{name: linear, maximun: 1}"),
              HasSubstr("did you mean 'maximum'"));
}

}  // namespace
}  // namespace canvaslab
