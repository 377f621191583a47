// The factor rule against its inequality, over all numbers of positions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/samplers/selection/canvas_walk.h"

namespace canvaslab {
namespace {

std::string decide(double factor, const std::vector<float>& confidence,
                   const std::vector<std::uint8_t>& undecided = {}) {
  Positions positions(confidence.size());
  positions.prediction.confidence = confidence;
  if (!undecided.empty()) positions.undecided = undecided;
  return positions.decide(*build<SelectionRule>(fmt::format("{{name: factor, factor: {}}}", factor)));
}

// c = 7/8, 3/4, 1/2: (n + 1) (1 - c_(n)) = 1/4, 3/4, 2.
TEST(Factor, HandComputedCases) {
  const std::vector<float> c{0.5F, 0.875F, 0.75F};
  EXPECT_EQ(decide(2.5, c), "sss");
  EXPECT_EQ(decide(2, c), "rss");  // strictly below
  EXPECT_EQ(decide(0.75, c), "rsr");
  EXPECT_EQ(decide(0, c), "rsr");  // always the best one
}

TEST(Factor, TakesTheLargestNumberThatPasses) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 300; ++trial) {
    const std::vector<float> c = grid_values(1 + random() % 10, random);
    const double factor = static_cast<double>(random() % 40) / 16;
    std::vector<float> sorted = c;
    std::sort(sorted.rbegin(), sorted.rend());
    int expected = 1;
    for (size_t n = 1; n <= sorted.size(); ++n) {
      if (static_cast<double>(n + 1) * (1 - sorted[n - 1]) < factor) expected = static_cast<int>(n);
    }
    const std::string letters = decide(factor, c);
    EXPECT_EQ(committed(letters), expected) << letters << " of factor " << factor;
    float worst = 1;
    for (size_t i = 0; i < c.size(); ++i) worst = letters[i] == 's' ? std::min(worst, c[i]) : worst;
    EXPECT_EQ(worst, sorted[static_cast<size_t>(expected) - 1]) << letters;
  }
}

TEST(Factor, EqualConfidencesRankByPosition) {
  EXPECT_EQ(decide(1, {0.75F, 0.75F, 0.75F, 0.75F}), "ssrr");  // 1/2, 3/4, 1
}

TEST(Factor, OnlyUndecidedPositionsCount) {
  EXPECT_EQ(decide(1, {1, 0.75F, 0.75F, 0.75F}, {0, 1, 1, 1}), ".ssr");
  EXPECT_EQ(decide(1, {1, 1}, {0, 0}), "..");
  expect_decided_positions_untouched("{name: factor}");
}

TEST(Factor, AtTemperatureZeroThePlainProbabilityCounts) {
  Positions positions(3);
  positions.prediction.confidence = {1, 1, 1};
  positions.prediction.raw_sampled_probability = {0.25F, 0.75F, 0.5F};
  const auto rule = build<SelectionRule>("{name: factor}");
  EXPECT_TRUE(rule->needs().raw_probability);
  EXPECT_EQ(positions.decide(*rule), "sss");
  positions.temperature = 0;
  EXPECT_EQ(positions.decide(*rule), "rsr");
}

TEST(Factor, RefusesBadSettings) {
  for (const char* bad : {"factor: -1", "factor: .nan", "factor: null", "facter: 1"})
    EXPECT_NE(refusal<SelectionRule>(fmt::format("{{name: factor, {}}}", bad)), "accepted") << bad;
}

}  // namespace
}  // namespace canvaslab
