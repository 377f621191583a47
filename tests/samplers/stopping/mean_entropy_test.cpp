// A limit of the mean entropy.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/options.h"
#include "tests/samplers/stopping/steps.h"

namespace canvaslab {
namespace {

std::string stops(const std::string& settings, const std::vector<float>& entropies) {
  std::vector<Step> steps;
  for (const float entropy : entropies) steps.push_back({{static_cast<TokenId>(steps.size())}, entropy, {}});
  return stops(*build<StoppingCriterion>("{name: mean_entropy, " + settings + "}"), steps);
}

// The prediction changes at every step.
TEST(MeanEntropy, StopsBelowTheLimit) {
  EXPECT_EQ(stops("limit: 0.25", {1, 0.5F, 0.25F, 0.125F, 0.5F}), "00010");
  EXPECT_EQ(stops("limit: 0.5", {1, 0.5F, 0.25F, 0.125F, 0.5F}), "00110");
  EXPECT_EQ(stops("limit: 0", {0, 0}), "00");
}

// 0.1 is no binary fraction: the entropy is float32, and so is the limit.
TEST(MeanEntropy, AnEntropyEqualToTheLimitGoesOn) {
  EXPECT_EQ(stops("limit: 0.1", {0.1F}), "0");
  EXPECT_EQ(stops("limit: 0.005", {0.005F}), "0");
}

TEST(MeanEntropy, IsConfidentWhereItStops) {
  const auto criterion = build<StoppingCriterion>("{name: mean_entropy, limit: 0.5}");
  const auto all = signals(*criterion, {{{1}, 0.25F, {}}, {{1}, 1, {}}});
  EXPECT_TRUE(all[0].confident && !all[0].stable);
  EXPECT_FALSE(all[1].confident);
  EXPECT_EQ(criterion->lookback(), 0);
}

TEST(MeanEntropy, RefusesBadSettings) {
  for (const char* bad : {"limit: -1", "limit: .nan", "limit: null", "limits: 1"})
    EXPECT_NE(refusal<StoppingCriterion>(fmt::format("{{name: mean_entropy, {}}}", bad)), "accepted") << bad;
}

}  // namespace
}  // namespace canvaslab
