// The probability threshold against its definition, and the effect of each of its settings.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/options.h"
#include "tests/samplers/selection/positions.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

std::string decide(const std::string& settings, const std::vector<float>& current,
                   const std::vector<float>& sampled, const std::vector<std::uint8_t>& undecided = {}) {
  Positions positions(current.size());
  positions.prediction.current_probability = current;
  positions.prediction.sampled_probability = sampled;
  if (!undecided.empty()) positions.undecided = undecided;
  return positions.decide(*build<SelectionRule>("{name: probability_threshold, " + settings + "}"));
}

TEST(ProbabilityThreshold, KeepsThenCommitsThenRenoises) {
  EXPECT_EQ(decide("threshold: 0.5", {0.75F, 0.5F, 0.25F, 0.25F, 0.0F}, {0.1F, 0.9F, 0.75F, 0.5F, 0.25F}),
            "kkssr");
}

TEST(ProbabilityThreshold, AcceptIsAThresholdOfItsOwn) {
  const std::vector<float> current{0.75F, 0.25F, 0.25F, 0.25F}, sampled{0.1F, 0.9F, 0.6F, 0.3F};
  EXPECT_EQ(decide("threshold: 0.5", current, sampled), "kssr");
  EXPECT_EQ(decide("threshold: 0.5, accept: null", current, sampled), "kssr");  // null: the threshold
  EXPECT_EQ(decide("threshold: 0.5, accept: 0.8", current, sampled), "ksrr");
  EXPECT_EQ(decide("threshold: 0.5, accept: 0.25", current, sampled), "ksss");
  EXPECT_EQ(decide("threshold: 0.5, accept: 0", current, {0, 0, 0, 0}), "ksss");
}

TEST(ProbabilityThreshold, RandomCasesFollowTheDefinition) {
  std::mt19937 random(4);
  for (int trial = 0; trial < 500; ++trial) {
    const size_t length = 1 + random() % 8;
    const std::vector<float> current = grid_values(length, random), sampled = grid_values(length, random);
    const double threshold = static_cast<double>(random() % 20) / 16,
                 accept = static_cast<double>(random() % 20) / 16;
    const std::string decision =
        decide(fmt::format("threshold: {}, accept: {}", threshold, accept), current, sampled);
    std::string expected;
    for (size_t i = 0; i < length; ++i) {
      expected += current[i] >= threshold ? 'k' : sampled[i] >= accept ? 's' : 'r';
    }
    if (expected != std::string(length, 'r')) {
      EXPECT_EQ(decision, expected);
      continue;
    }
    // Nothing passes: exactly one position is spared, for the most probable token of all, kept or sampled.
    const float most = std::max(*std::max_element(current.begin(), current.end()),
                                *std::max_element(sampled.begin(), sampled.end()));
    ASSERT_EQ(std::count(decision.begin(), decision.end(), 'r'), static_cast<std::ptrdiff_t>(length) - 1)
        << decision;
    const size_t spared = decision.find_first_not_of('r');
    EXPECT_EQ(decision[spared] == 'k' ? current[spared] : sampled[spared], most) << decision;
  }
}

TEST(ProbabilityThreshold, OnePositionAtLeastIsKeptOrCommitted) {
  EXPECT_EQ(decide("threshold: 0.9", {0.1F, 0.2F, 0.3F}, {0.1F, 0.4F, 0.2F}), "rsr");
  EXPECT_EQ(decide("threshold: 0.9", {0.1F, 0.5F, 0.3F}, {0.1F, 0.4F, 0.2F}), "rkr");
  EXPECT_EQ(decide("threshold: 2", {1.0F, 1.0F}, {1.0F, 1.0F}), "kr");
}

TEST(ProbabilityThreshold, ZeroKeepsAll) {
  EXPECT_EQ(decide("threshold: 0", {0.0F, 0.5F}, {1.0F, 1.0F}), "kk");
}

// Statistics are float32, and so are the thresholds that they are compared with.
TEST(ProbabilityThreshold, AProbabilityEqualToTheThresholdPasses) {
  EXPECT_EQ(decide("threshold: 0.9", {0.9F, 0.1F, 0.1F}, {0.1F, 0.9F, 0.8999F}), "ksr");
  EXPECT_EQ(decide("threshold: 0.9, accept: 0.7", {0.9F, 0.1F}, {0.1F, 0.7F}), "ks");
}

TEST(ProbabilityThreshold, OnlyUndecidedPositionsCount) {
  EXPECT_EQ(decide("threshold: 0.9", {0.95F, 0.2F, 0.4F}, {0.1F, 0.1F, 0.1F}, {0, 1, 1}), ".rk");
  EXPECT_EQ(decide("threshold: 0.9", {0.95F, 0.2F}, {0.1F, 0.1F}, {0, 0}), "..");
}

TEST(ProbabilityThreshold, HasNoBudgetToReport) {
  EXPECT_TRUE(std::isnan(Positions(3).slack(*build<SelectionRule>("{name: probability_threshold}"))));
}

TEST(ProbabilityThreshold, RefusesBadSettings) {
  for (const char* bad :
       {"threshold: -0.1", "threshold: null", "threshold: .nan", "accept: -1", "accept: .nan", "accept: x"}) {
    EXPECT_NE(refusal<SelectionRule>(fmt::format("{{name: probability_threshold, {}}}", bad)), "accepted")
        << bad;
  }
  EXPECT_THAT(refusal<SelectionRule>("{name: probability_threshold, acept: 1}"),
              HasSubstr("did you mean 'accept'"));
}

}  // namespace
}  // namespace canvaslab
