// The margin rule: its quota and its order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/samplers/selection/canvas_walk.h"
#include "tests/samplers/selection/exact_error.h"

namespace canvaslab {
namespace {

using ::testing::ElementsAre;

constexpr const char* kRule = "{name: top_k_margin}";

TEST(TopKMargin, TheQuotaIsAnEvenSplit) {
  EXPECT_THAT(commits_by_step(kRule, "masked", 10, 4), ElementsAre(3, 3, 2, 2));
  EXPECT_THAT(commits_by_step(kRule, "uniform", 10, 4), ElementsAre(3, 5, 8, 10));
}

TEST(TopKMargin, CommitsTheLargestMargins) {
  Walk walk("masked", 6, 2);
  walk.positions.prediction.margin = {0.25F, 0.75F, 0.5F, 0.875F, 0.5F, 0.125F};
  walk.positions.prediction.confidence = {1, 0, 1, 0, 1, 1};
  EXPECT_EQ(walk.positions.decide(*build<SelectionRule>(kRule)), "rsssrr");  // equal ones: by position
}

TEST(TopKMargin, AtTemperatureZeroThePlainProbabilityRanks) {
  Walk walk("masked", 4, 2);
  walk.positions.prediction.margin = {1, 1, 1, 1};
  walk.positions.prediction.raw_sampled_probability = {0.25F, 0.75F, 0.5F, 0.875F};
  const auto rule = build<SelectionRule>(kRule);
  EXPECT_EQ(walk.positions.decide(*rule), "ssrr");
  walk.positions.temperature = 0;
  EXPECT_TRUE(rule->needs().raw_probability);
  EXPECT_EQ(walk.positions.decide(*rule), "rsrs");
}

// An order that does not look at the draw leaves the law as it is; LLaDA's order, which does, bends it.
TEST(TopKMargin, OneAtATimeGeneratesTheModelsOwnLaw) {
  EXPECT_LT(error_with_masks(kRule, 4), 1e-6);
  EXPECT_GT(error_with_masks("{name: low_confidence}", 4), 0.01);
}

TEST(TopKMargin, EveryCanvasIsFinished) {
  expect_done_after_the_last_step(kRule);
}

TEST(TopKMargin, OnlyUndecidedPositionsAreDecided) {
  expect_decided_positions_untouched(kRule);
}

TEST(TopKMargin, RefusesSettingsThatItDoesNotHave) {
  EXPECT_THAT(refusal<SelectionRule>("{name: top_k_margin, k: 3}"), ::testing::HasSubstr("unknown key 'k'"));
}

}  // namespace
}  // namespace canvaslab
