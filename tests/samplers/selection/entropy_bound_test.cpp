// The entropy bound against its definition by enumeration of all subsets, and the effect of each of its
// settings.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "tests/options.h"
#include "tests/samplers/selection/positions.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

std::string decide(const std::string& settings, const std::vector<float>& entropy,
                   const std::vector<std::uint8_t>& undecided = {}) {
  Positions positions(entropy.size());
  positions.prediction.entropy = entropy;
  if (!undecided.empty()) positions.undecided = undecided;
  return positions.decide(*build<SelectionRule>("{name: entropy_bound, " + settings + "}"));
}

float slack(const std::string& settings, const std::vector<float>& entropy) {
  Positions positions(entropy.size());
  positions.prediction.entropy = entropy;
  return positions.slack(*build<SelectionRule>("{name: entropy_bound, " + settings + "}"));
}

// A subset is allowed when its entropies without the largest sum to at most the bound. The rule takes an
// allowed subset with the most members, of those one with the smallest entropies.
struct Best {
  int members = 0;
  double sum = std::numeric_limits<double>::infinity();
};

double sum_of(const std::vector<float>& entropy, unsigned subset, double* largest) {
  double sum = 0;
  *largest = 0;
  for (size_t i = 0; i < entropy.size(); ++i) {
    if ((subset >> i & 1) == 0) continue;
    sum += entropy[i];
    *largest = std::max<double>(*largest, entropy[i]);
  }
  return sum;
}

Best best_subset(const std::vector<float>& entropy, double bound) {
  Best best;
  for (unsigned subset = 1; subset < 1U << entropy.size(); ++subset) {
    double largest = 0;
    const double sum = sum_of(entropy, subset, &largest);
    if (sum - largest > bound) continue;
    const int members = std::popcount(subset);
    if (members > best.members) best = {members, sum};
    if (members == best.members) best.sum = std::min(best.sum, sum);
  }
  return best;
}

// Entropies and bounds are multiples of 1/16, so sums are exact and often equal to the bound.
TEST(EntropyBound, TakesTheLargestSubsetThatTheDefinitionAllows) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const std::vector<float> entropy = grid_values(1 + random() % 10, random);
    const double bound = static_cast<double>(random() % 48) / 16;
    const std::string decision = decide(fmt::format("bound: {}", bound), entropy);
    unsigned accepted = 0;
    for (size_t i = 0; i < decision.size(); ++i) accepted |= decision[i] == 's' ? 1U << i : 0;
    double largest = 0;
    const double sum = sum_of(entropy, accepted, &largest);
    const Best best = best_subset(entropy, bound);
    EXPECT_EQ(std::popcount(accepted), best.members) << decision;
    EXPECT_EQ(sum, best.sum) << decision;
    EXPECT_EQ(slack(fmt::format("bound: {}", bound), entropy), static_cast<float>(bound - (sum - largest)));
  }
}

TEST(EntropyBound, HandComputedCases) {
  EXPECT_EQ(decide("bound: 0.75", {1.0F, 0.25F, 2.0F, 0.5F}),
            "ssrs");  // before each rank: 0, 0.25, 0.75, 1.75
  EXPECT_EQ(decide("bound: 0.74", {1.0F, 0.25F, 2.0F, 0.5F}), "rsrs");
  EXPECT_EQ(decide("bound: 0.24", {1.0F, 0.25F, 2.0F, 0.5F}), "rsrr");
  EXPECT_EQ(decide("bound: 100", {1.0F, 0.25F, 2.0F, 0.5F}), "ssss");
}

TEST(EntropyBound, TheLowestEntropyIsAlwaysAccepted) {
  EXPECT_EQ(decide("bound: 0", {5.0F, 4.0F, 6.0F}), "rsr");
  EXPECT_EQ(decide("bound: 0", {9.0F}), "s");
}

TEST(EntropyBound, CertainPositionsCostNothing) {
  EXPECT_EQ(decide("bound: 0", {0.0F, 0.0F, 0.0F, 0.0F}), "ssss");
  EXPECT_EQ(decide("bound: 0", {0.5F, 0.0F, 0.25F, 0.0F}), "rsss");  // both zeros, then one more
}

TEST(EntropyBound, EqualEntropiesRankByPosition) {
  EXPECT_EQ(decide("bound: 0.5", {0.25F, 0.25F, 0.25F, 0.25F, 0.25F}), "sssrr");
  EXPECT_EQ(decide("bound: 0.1", {0.7F, 0.7F, 0.7F}), "srr");
  EXPECT_EQ(decide("bound: 5", std::vector<float>(256, 0.5F)), std::string(11, 's') + std::string(245, 'r'));
}

// 0.1 is no binary fraction: entropies are float32, and so is the bound that they are compared with.
TEST(EntropyBound, ASumEqualToTheBoundPasses) {
  EXPECT_EQ(decide("bound: 0.1", {0.1F, 0.2F}), "ss");
  EXPECT_EQ(decide("bound: 0.3", {0.3F, 0.9F}), "ss");
}

TEST(EntropyBound, OnlyUndecidedPositionsCount) {
  EXPECT_EQ(decide("bound: 0.5", {0.25F, 0.25F, 0.25F, 0.25F, 0.25F}, {0, 0, 1, 1, 1}), "..sss");
  EXPECT_EQ(decide("bound: 0.5", {1, 1, 1}, {0, 0, 0}), "...");
}

TEST(EntropyBound, CommitSaysWhichTokenIsCarried) {
  EXPECT_EQ(decide("bound: 0.75, commit: argmax", {1.0F, 0.25F, 2.0F, 0.5F}), "aara");
  EXPECT_EQ(decide("bound: 0.75, commit: sampled", {1.0F, 0.25F, 2.0F, 0.5F}), "ssrs");
}

TEST(EntropyBound, ALargerBoundAcceptsMore) {
  std::mt19937 random(2);
  const std::vector<float> entropy = grid_values(12, random);
  std::string before = decide("bound: 0", entropy);
  for (const char* bound : {"0.25", "0.5", "1", "2", "4", "20"}) {
    const std::string now = decide(fmt::format("bound: {}", bound), entropy);
    for (size_t i = 0; i < now.size(); ++i) EXPECT_FALSE(before[i] == 's' && now[i] == 'r') << bound;
    before = now;
  }
  EXPECT_EQ(before, std::string(12, 's'));
}

TEST(EntropyBound, SlackIsWhatTheLastAcceptedRankLeft) {
  EXPECT_EQ(slack("bound: 1", {1.0F, 0.25F, 2.0F, 0.5F}),
            0.25F);  // accepted 0.25, 0.5, 1.0; 0.25 + 0.5 are charged
  EXPECT_EQ(slack("bound: 1", {3.0F}), 1.0F);
}

TEST(EntropyBound, RefusesBadSettings) {
  for (const char* bad : {"bound: -0.1", "bound: .nan", "bound: x", "bound: null", "bound: true",
                          "commit: best", "commit: null"}) {
    EXPECT_NE(refusal<SelectionRule>(fmt::format("{{name: entropy_bound, {}}}", bad)), "accepted") << bad;
  }
  EXPECT_THAT(refusal<SelectionRule>("{name: entropy_bound, bund: 1}"), HasSubstr("did you mean 'bound'"));
  EXPECT_EQ(refusal<SelectionRule>("{name: entropy_bound, bound: 1}"), "accepted");  // an integer is a number
}

}  // namespace
}  // namespace canvaslab
