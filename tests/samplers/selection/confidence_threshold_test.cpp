// The confidence threshold against its definition, and the effect of each of its settings.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/options.h"
#include "tests/samplers/selection/positions.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

std::string decide(const std::string& settings, const std::vector<float>& confidence,
                   const std::vector<std::uint8_t>& undecided = {}) {
  Positions positions(confidence.size());
  positions.prediction.confidence = confidence;
  if (!undecided.empty()) positions.undecided = undecided;
  return positions.decide(*build<SelectionRule>("{name: confidence_threshold, " + settings + "}"));
}

TEST(ConfidenceThreshold, CommitsWhatReachesTheThreshold) {
  EXPECT_EQ(decide("threshold: 0.5", {0.25F, 0.5F, 0.75F, 0.4F}), "rssr");
  EXPECT_EQ(decide("threshold: 0.75", {0.25F, 0.5F, 0.75F, 0.4F}), "rrsr");
}

// Exactly: committed if and only if the confidence reaches the threshold, or nothing does and it is the first
// of the best.
TEST(ConfidenceThreshold, RandomCasesFollowTheDefinition) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 300; ++trial) {
    const std::vector<float> confidence = grid_values(1 + random() % 12, random);
    const double threshold = static_cast<double>(random() % 20) / 16;
    const std::string decision = decide(fmt::format("threshold: {}", threshold), confidence);
    const auto best =
        static_cast<size_t>(std::max_element(confidence.begin(), confidence.end()) - confidence.begin());
    for (size_t i = 0; i < confidence.size(); ++i) {
      EXPECT_EQ(decision[i], confidence[i] >= threshold || i == best ? 's' : 'r') << decision << " at " << i;
    }
  }
}

TEST(ConfidenceThreshold, AlwaysCommitsTheBest) {
  EXPECT_EQ(decide("threshold: 0.9", {0.1F, 0.3F, 0.2F}), "rsr");
  EXPECT_EQ(decide("threshold: 2", {1.0F, 1.0F, 0.5F}), "srr");  // above 1: one a step, the first of equals
  EXPECT_EQ(decide("threshold: 0.9", {0.0F}), "s");
}

TEST(ConfidenceThreshold, ZeroCommitsAll) {
  EXPECT_EQ(decide("threshold: 0", {0.0F, 0.1F, 1.0F}), "sss");
}

// Statistics are float32, and so is the threshold that they are compared with.
TEST(ConfidenceThreshold, AConfidenceEqualToTheThresholdPasses) {
  EXPECT_EQ(decide("threshold: 0.9", {0.9F, 0.99F, 0.8999F}), "ssr");
  EXPECT_EQ(decide("threshold: 0.7", {0.7F, 0.99F}), "ss");
}

TEST(ConfidenceThreshold, OnlyUndecidedPositionsCount) {
  EXPECT_EQ(decide("threshold: 0.9", {0.95F, 0.2F, 0.4F}, {0, 1, 1}), ".rs");
  EXPECT_EQ(decide("threshold: 0.9", {0.95F, 0.2F}, {0, 0}), "..");
}

TEST(ConfidenceThreshold, ConfidenceSaysWhoseProbabilityIsCompared) {
  Positions positions(3);
  positions.prediction.confidence = {0.95F, 0.95F, 0.1F};
  positions.prediction.sampled_probability = {0.05F, 0.95F, 0.9F};
  EXPECT_EQ(positions.decide(*build<SelectionRule>("{name: confidence_threshold, confidence: maximum}")),
            "ssr");
  EXPECT_EQ(positions.decide(*build<SelectionRule>("{name: confidence_threshold, confidence: sampled}")),
            "rss");
}

TEST(ConfidenceThreshold, CommitSaysWhichTokenIsCarried) {
  EXPECT_EQ(decide("threshold: 0.5, commit: argmax", {0.25F, 0.5F, 0.75F}), "raa");
  EXPECT_EQ(decide("threshold: 0.9, commit: argmax", {0.25F, 0.5F, 0.75F}), "rra");  // the best alone, too
  EXPECT_EQ(decide("threshold: 0.5, commit: sampled", {0.25F, 0.5F, 0.75F}), "rss");
}

TEST(ConfidenceThreshold, HasNoBudgetToReport) {
  EXPECT_TRUE(std::isnan(Positions(3).slack(*build<SelectionRule>("{name: confidence_threshold}"))));
}

TEST(ConfidenceThreshold, RefusesBadSettings) {
  for (const char* bad :
       {"threshold: -0.1", "threshold: null", "threshold: .nan", "confidence: margin", "commit: both"}) {
    EXPECT_NE(refusal<SelectionRule>(fmt::format("{{name: confidence_threshold, {}}}", bad)), "accepted")
        << bad;
  }
  EXPECT_THAT(refusal<SelectionRule>("{name: confidence_threshold, treshold: 1}"),
              HasSubstr("did you mean 'threshold'"));
}

}  // namespace
}  // namespace canvaslab
