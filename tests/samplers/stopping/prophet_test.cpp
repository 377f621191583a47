// Prophet's falling threshold, against its closed form.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/options.h"
#include "tests/samplers/stopping/steps.h"

namespace canvaslab {
namespace {

std::string stops(const std::string& settings, const std::vector<std::vector<float>>& margins) {
  std::vector<Step> steps;
  for (const auto& margin : margins) steps.push_back({{1}, 0, {}, margin, {}});
  return stops(*build<StoppingCriterion>("{name: prophet, " + settings + "}"), steps);
}

// Five steps: thresholds 1, 7/8, 3/4, 5/8, 1/2. A mean equal to the threshold stops.
TEST(Prophet, TheThresholdFallsInALine) {
  const auto all = [](float lead) { return std::vector<std::vector<float>>(5, {lead}); };
  EXPECT_EQ(stops("from: 1, to: 0.5", all(1)), "11111");
  EXPECT_EQ(stops("from: 1, to: 0.5", all(0.875F)), "01111");
  EXPECT_EQ(stops("from: 1, to: 0.5", all(0.75F)), "00111");
  EXPECT_EQ(stops("from: 1, to: 0.5", all(0.5F)), "00001");
  EXPECT_EQ(stops("from: 1, to: 0.5", all(0.4375F)), "00000");
  EXPECT_EQ(stops("from: 1, to: 0.75", all(0.875F)), "00111");
  EXPECT_EQ(stops("from: 0.75, to: 0.75", all(0.75F)), "11111");
  EXPECT_EQ(stops("from: 2, to: 0.5", all(1)), "00011");  // 2, 1.625, 1.25, 0.875, 0.5
}

TEST(Prophet, TheMeanOverTheCanvasCounts) {
  EXPECT_EQ(stops("from: 0.5, to: 0.5", {{1, 0}, {0.75F, 0.1875F}, {0.25F, 0.75F}, {0, 0}}), "1010");
}

TEST(Prophet, ASingleStepHasTheFirstThreshold) {
  EXPECT_EQ(stops("from: 0.75, to: 0", {{0.75F}}), "1");
  EXPECT_EQ(stops("from: 0.75, to: 0", {{0.5F}}), "0");
}

// 0.1 is no binary fraction: the mean is compared in float32, as the statistics are.
TEST(Prophet, EqualNumbersCompareEqual) {
  EXPECT_EQ(stops("from: 0.1, to: 0.1", {{0.1F, 0.1F}}), "1");
}

TEST(Prophet, RandomSequencesFollowTheDefinition) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const int count = 2 + static_cast<int>(random() % 8);
    std::vector<std::vector<float>> margins;
    std::string expected;
    for (int i = 0; i < count; ++i) {
      const int first = static_cast<int>(random() % 65), second = static_cast<int>(random() % 65);
      margins.push_back({static_cast<float>(first) / 64, static_cast<float>(second) / 64});
      // mean >= threshold, in whole numbers
      const int threshold = 128 * (9 * (count - 1 - i) + 2 * i);
      expected += (first + second) * 10 * (count - 1) >= threshold ? '1' : '0';
    }
    EXPECT_EQ(stops("from: 0.9, to: 0.2", margins), expected);
  }
}

TEST(Prophet, IsConfidentWhereItStops) {
  const auto all = signals(*build<StoppingCriterion>("{name: prophet, from: 0.5, to: 0.5}"),
                           {{{1}, 0, {}, {1}, {}}, {{1}, 0, {}, {0}, {}}});
  EXPECT_TRUE(all[0].confident && !all[0].stable && !all[1].confident);
}

TEST(Prophet, RefusesBadSettings) {
  for (const char* bad : {"from: -1", "to: -0.1", "from: .nan", "to: null", "form: 1"})
    EXPECT_NE(refusal<StoppingCriterion>(fmt::format("{{name: prophet, {}}}", bad)), "accepted") << bad;
  EXPECT_THAT(refusal<StoppingCriterion>("{name: prophet, from: 0.2, to: 0.6}"),
              ::testing::HasSubstr("stopping.to = 0.6 is above stopping.from = 0.2"));
}

}  // namespace
}  // namespace canvaslab
