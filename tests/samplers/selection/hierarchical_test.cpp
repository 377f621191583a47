// Hierarchical decoding against its definition over all runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/samplers/selection/canvas_walk.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

std::string decide(const std::string& settings, const std::vector<float>& confidence,
                   const std::vector<std::uint8_t>& undecided) {
  Positions positions(confidence.size());
  positions.prediction.confidence = confidence;
  positions.undecided = undecided;
  return positions.decide(*build<SelectionRule>("{name: hierarchical, " + settings + "}"));
}

const std::vector<float> kConfidence{0.5F, 0.6F, 0.3F, 0.99F, 0.2F, 0.95F, 0.92F, 0.1F, 0.45F};
const std::vector<std::uint8_t> kRuns{1, 1, 1, 0, 1, 1, 1, 0, 1};

TEST(Hierarchical, TheBestOfEveryRunAndAllThatAreConfident) {
  EXPECT_EQ(decide("threshold: 0.9", kConfidence, kRuns), "rsr.rss.s");
  EXPECT_EQ(decide("threshold: 0.93", kConfidence, kRuns), "rsr.rsr.s");
  EXPECT_EQ(decide("threshold: 0.4", kConfidence, kRuns), "ssr.rss.s");
}

TEST(Hierarchical, TheBestOfARunMustExceedTheLowThreshold) {
  EXPECT_EQ(decide("low_threshold: 0.5", kConfidence, kRuns), "rsr.rss.r");
  EXPECT_EQ(decide("low_threshold: 0.7", kConfidence, kRuns), "rrr.rss.r");
  EXPECT_EQ(decide("low_threshold: 0.5", {0.5F, 0.1F, 0.6F}, {1, 0, 1}), "r.s");  // strictly
}

TEST(Hierarchical, IfNothingClearsTheSingleBest) {
  EXPECT_EQ(decide("low_threshold: 0.9", {0.5F, 0.1F, 0.6F}, {1, 0, 1}), "r.s");
  EXPECT_EQ(decide("low_threshold: 0.6", {0.6F, 0.1F, 0.6F}, {1, 0, 1}), "s.r");  // equal: the first
  EXPECT_EQ(decide("low_threshold: 0.9", {0.5F, 0.1F}, {0, 0}), "..");
}

// A run's best is its first position with the largest confidence.
std::string by_definition(const std::vector<float>& c, const std::vector<std::uint8_t>& open, float high,
                          float low) {
  std::string letters;
  for (const std::uint8_t flag : open) letters += flag != 0 ? 'r' : '.';
  int best = -1;
  for (int i = 0; i < static_cast<int>(c.size()); ++i) {
    if (open[i] == 0) continue;
    bool best_of_run = true;
    for (int j = i - 1; j >= 0 && open[j] != 0; --j) best_of_run = best_of_run && c[j] < c[i];
    for (int j = i + 1; j < static_cast<int>(c.size()) && open[j] != 0; ++j)
      best_of_run = best_of_run && c[j] <= c[i];
    if (c[i] > high || (best_of_run && c[i] > low)) letters[i] = 's';
    if (best < 0 || c[i] > c[best]) best = i;
  }
  if (best >= 0 && letters.find('s') == std::string::npos) letters[best] = 's';
  return letters;
}

TEST(Hierarchical, FollowsItsDefinition) {
  std::mt19937 random(10);
  for (int trial = 0; trial < 400; ++trial) {
    const std::vector<float> c = grid_values(1 + random() % 14, random);
    std::vector<std::uint8_t> open;
    for (size_t i = 0; i < c.size(); ++i) open.push_back(random() % 4 == 0 ? 0 : 1);
    const float high = static_cast<float>(8 + random() % 8) / 16,
                low = high - static_cast<float>(random() % 8) / 16;
    EXPECT_EQ(decide(fmt::format("threshold: {}, low_threshold: {}", high, low), c, open),
              by_definition(c, open, high, low));
  }
}

TEST(Hierarchical, OnlyUndecidedPositionsAreDecided) {
  expect_decided_positions_untouched("{name: hierarchical}");
}

TEST(Hierarchical, AtTemperatureZeroThePlainProbabilityCounts) {
  Positions positions(3);
  positions.prediction.confidence = {1, 1, 1};
  positions.prediction.raw_sampled_probability = {0.5F, 0.75F, 0.5F};
  const auto rule = build<SelectionRule>("{name: hierarchical}");
  EXPECT_TRUE(rule->needs().raw_probability);
  EXPECT_EQ(positions.decide(*rule), "sss");
  positions.temperature = 0;
  EXPECT_EQ(positions.decide(*rule), "rsr");
}

TEST(Hierarchical, RefusesBadSettings) {
  for (const char* bad : {"threshold: -1", "low_threshold: -0.1", "threshold: null", "low_threshold: x"})
    EXPECT_NE(refusal<SelectionRule>(fmt::format("{{name: hierarchical, {}}}", bad)), "accepted") << bad;
  EXPECT_THAT(refusal<SelectionRule>("{name: hierarchical, threshold: 0.3}"), HasSubstr("0.4 is above"));
}

}  // namespace
}  // namespace canvaslab
