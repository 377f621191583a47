// LocalLeap against its definition, position by position.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/samplers/selection/canvas_walk.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

std::string decide(const std::string& settings, const std::vector<float>& confidence,
                   const std::vector<std::uint8_t>& undecided = {}) {
  Positions positions(confidence.size());
  positions.prediction.confidence = confidence;
  if (!undecided.empty()) positions.undecided = undecided;
  return positions.decide(*build<SelectionRule>("{name: local_leap, " + settings + "}"));
}

const std::vector<float> kOneAnchor{0.8F, 0.8F, 0.95F, 0.7F, 0.8F, 0.8F};

TEST(LocalLeap, NearAnAnchorALowerConfidenceSuffices) {
  EXPECT_EQ(decide("radius: 2", kOneAnchor), "sssrsr");
  EXPECT_EQ(decide("radius: 1", kOneAnchor), "rssrrr");
  EXPECT_EQ(decide("radius: 0", kOneAnchor), "rrsrrr");
  EXPECT_EQ(decide("radius: 4", kOneAnchor), "sssrss");
}

TEST(LocalLeap, BothThresholdsMatter) {
  EXPECT_EQ(decide("radius: 1, threshold: 0.7", kOneAnchor), "rsssrr");  // 0.7 reaches 0.7
  EXPECT_EQ(decide("radius: 1, anchor: 0.95", kOneAnchor), "rssrrr");    // 0.95 reaches 0.95
  EXPECT_EQ(decide("radius: 1, anchor: 0.8", kOneAnchor), "sssrss");     // five anchors
  EXPECT_EQ(decide("radius: 1, anchor: 0.96", kOneAnchor), "rrsrrr");    // none: the best one
}

TEST(LocalLeap, OfEqualPositionsTheFirstIsTheBest) {
  EXPECT_EQ(decide("anchor: 0.9", {0.1F, 0.3F, 0.3F}), "rsr");
}

TEST(LocalLeap, OnlyUndecidedPositionsAreAnchors) {
  EXPECT_EQ(decide("radius: 2", kOneAnchor, {1, 1, 0, 1, 1, 1}), "sr.rrr");  // no anchor: the first best
  expect_decided_positions_untouched("{name: local_leap}");
}

TEST(LocalLeap, FollowsItsDefinition) {
  std::mt19937 random(8);
  for (int trial = 0; trial < 300; ++trial) {
    const std::vector<float> c = grid_values(1 + random() % 14, random);
    const double anchor = static_cast<double>(8 + random() % 8) / 16, threshold = anchor - 0.25;
    const auto radius = static_cast<int>(random() % 4);
    std::string expected(c.size(), 'r');
    for (size_t i = 0; i < c.size(); ++i) {
      for (size_t j = 0; j < c.size(); ++j) {
        const auto distance = static_cast<int>(i > j ? i - j : j - i);
        if (c[j] >= anchor && distance <= radius && c[i] >= threshold) expected[i] = 's';
      }
    }
    if (expected.find('s') == std::string::npos)
      expected[static_cast<size_t>(std::max_element(c.begin(), c.end()) - c.begin())] = 's';
    EXPECT_EQ(decide(fmt::format("anchor: {}, threshold: {}, radius: {}", anchor, threshold, radius), c),
              expected);
  }
}

TEST(LocalLeap, AtTemperatureZeroThePlainProbabilityCounts) {
  Positions positions(3);
  positions.prediction.confidence = {1, 1, 1};
  positions.prediction.raw_sampled_probability = {0.5F, 0.75F, 0.5F};
  const auto rule = build<SelectionRule>("{name: local_leap}");
  EXPECT_TRUE(rule->needs().raw_probability);
  EXPECT_EQ(positions.decide(*rule), "sss");
  positions.temperature = 0;
  EXPECT_EQ(positions.decide(*rule), "rsr");
}

TEST(LocalLeap, RefusesBadSettings) {
  for (const char* bad : {"anchor: -1", "threshold: -0.1", "radius: -1", "radius: 1.5", "anchor: null"})
    EXPECT_NE(refusal<SelectionRule>(fmt::format("{{name: local_leap, {}}}", bad)), "accepted") << bad;
  EXPECT_THAT(refusal<SelectionRule>("{name: local_leap, anchor: 0.5}"), HasSubstr("0.75 is above"));
  EXPECT_THAT(refusal<SelectionRule>("{name: local_leap, ancor: 0.5}"), HasSubstr("did you mean 'anchor'"));
}

}  // namespace
}  // namespace canvaslab
