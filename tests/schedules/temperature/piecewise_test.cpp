// The piecewise schedule: points, lines between them, and what holds outside.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedules/temperature/temperature_schedule.h"
#include "tests/options.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

float at(const std::string& settings, int index, int count) {
  return build<TemperatureSchedule>("{name: piecewise, " + settings + "}")->at({index, count});
}

const std::string kPoints = "points: [[0.25, 1], [0.5, 0.5], [0.75, 2]]";

TEST(PiecewiseTemperature, PassesThroughItsPoints) {
  EXPECT_EQ(at(kPoints, 1, 4), 1.0F);
  EXPECT_EQ(at(kPoints, 2, 4), 0.5F);
  EXPECT_EQ(at(kPoints, 3, 4), 2.0F);
}

TEST(PiecewiseTemperature, LinesLieBetweenThem) {
  EXPECT_EQ(at(kPoints, 3, 8), 0.75F);
  EXPECT_EQ(at(kPoints, 5, 8), 1.25F);
  EXPECT_EQ(at(kPoints, 9, 16), 0.875F);
}

TEST(PiecewiseTemperature, OutsideTheFirstAndTheLastHold) {
  EXPECT_EQ(at(kPoints, 0, 8), 1.0F);
  EXPECT_EQ(at(kPoints, 1, 8), 1.0F);
  EXPECT_EQ(at(kPoints, 7, 8), 2.0F);
  for (const int index : {0, 4, 8}) EXPECT_EQ(at("points: [[0.5, 0.75]]", index, 9), 0.75F);
}

// The line from 0.8 to 0.4 is the linear schedule.
TEST(PiecewiseTemperature, TwoPointsAreTheLinearSchedule) {
  for (const char* endpoint : {"excluded", "included"}) {
    const auto linear = build<TemperatureSchedule>(fmt::format("{{name: linear, endpoint: {}}}", endpoint));
    for (const int count : {1, 2, 7, 48}) {
      for (int index = 0; index < count; ++index)
        EXPECT_NEAR(at(fmt::format("endpoint: {}", endpoint), index, count), linear->at({index, count}),
                    1e-6);
    }
  }
}

TEST(PiecewiseTemperature, ZeroIsAllowed) {
  EXPECT_EQ(at("points: [[0, 0]]", 3, 10), 0.0F);
  EXPECT_EQ(at("points: [[0, 0.5], [0.5, 0], [1, 0]]", 5, 10), 0.0F);
}

TEST(PiecewiseTemperature, RefusesBadSettings) {
  const auto refused = [](const std::string& settings) {
    return refusal<TemperatureSchedule>("{name: piecewise, " + settings + "}");
  };
  EXPECT_THAT(refused("points: []"), HasSubstr("points is empty"));
  EXPECT_THAT(refused("points: [[0, 1], [0.5]]"), HasSubstr("found a list of 1"));
  EXPECT_THAT(refused("points: [[0, 1, 2]]"), HasSubstr("found a list of 3"));
  EXPECT_THAT(refused("points: [[0.5, 1], [0.25, 1]]"), HasSubstr("found 0.25 after 0.5"));
  EXPECT_THAT(refused("points: [[0.5, 1], [0.5, 2]]"), HasSubstr("found 0.5 after 0.5"));
  EXPECT_THAT(refused("points: [[1.5, 1]]"), HasSubstr("found 1.5"));
  EXPECT_THAT(refused("points: [[-0.5, 1]]"), HasSubstr("points.0.0"));
  EXPECT_THAT(refused("points: [[0, -1]]"), HasSubstr("points.0.1"));
  for (const char* bad : {"points: null", "points: [0, 1]", "points: [[0, x]]", "points: [[0, .nan]]",
                          "endpoint: open", "point: [[0, 1]]"})
    EXPECT_NE(refused(bad), "accepted") << bad;
}

}  // namespace
}  // namespace canvaslab
