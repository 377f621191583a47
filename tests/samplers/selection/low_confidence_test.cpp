// LLaDA's low-confidence remasking: its quota, its order, and that a canvas is always finished.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/samplers/selection/canvas_walk.h"

namespace canvaslab {
namespace {

using ::testing::ElementsAre;

constexpr const char* kRule = "{name: low_confidence}";

// L / N a step, and one more in the first L mod N, as LLaDA's table of transferred tokens has it.
TEST(LowConfidence, TheQuotaIsAnEvenSplitWithTheRemainderFirst) {
  for (int length = 1; length <= 17; ++length) {
    for (int steps = 1; steps <= 20; ++steps) {
      std::vector<int> expected(static_cast<size_t>(steps), length / steps);
      for (int i = 0; i < length % steps; ++i) ++expected[static_cast<size_t>(i)];
      EXPECT_EQ(commits_by_step(kRule, "masked", static_cast<size_t>(length), steps), expected)
          << length << " positions, " << steps << " steps";
    }
  }
}

TEST(LowConfidence, OnlyWhatIsNotGivenIsSplit) {
  EXPECT_THAT(commits_by_step(kRule, "masked", 12, 4, 5), ElementsAre(2, 2, 2, 1));
}

// Under uniform noise ceil((i + 1) L / N) positions in all, given ones included, are committed at step i.
TEST(LowConfidence, WhereCommitsStayOpenTheQuotaIsCumulative) {
  EXPECT_THAT(commits_by_step(kRule, "uniform", 10, 4), ElementsAre(3, 5, 8, 10));
  EXPECT_THAT(commits_by_step(kRule, "uniform", 10, 4, 4), ElementsAre(0, 1, 4, 6));
}

TEST(LowConfidence, LockedPositionsCountTowardsACumulativeQuota) {
  Walk walk("uniform", 10, 4);
  for (size_t i = 0; i < 3; ++i) walk.give(i);  // as a locked position, not the rule's to decide
  walk.positions.time.index = 1;                // 5 in all, 2 of them now
  EXPECT_EQ(walk.step(*build<SelectionRule>(kRule)), "...ssrrrrr");
}

TEST(LowConfidence, CommitsTheMostProbableSamplesOfThePlainSoftmax) {
  Walk walk("masked", 5, 2);
  walk.positions.prediction.raw_sampled_probability = {0.25F, 0.75F, 0.5F, 0.875F, 0.625F};
  walk.positions.prediction.sampled_probability = {1, 0, 1, 0, 1};  // tempered: not asked
  const auto rule = build<SelectionRule>(kRule);
  EXPECT_TRUE(rule->needs().raw_probability);
  EXPECT_EQ(walk.positions.decide(*rule), "rsrss");
  walk.positions.temperature = 0;
  EXPECT_EQ(walk.positions.decide(*rule), "rsrss");
}

TEST(LowConfidence, EqualProbabilitiesRankByPosition) {
  Walk walk("masked", 5, 2);
  walk.positions.prediction.raw_sampled_probability = {0.25F, 0.5F, 0.5F, 0.5F, 0.5F};
  EXPECT_EQ(walk.positions.decide(*build<SelectionRule>(kRule)), "rsssr");
}

// Every committed position is at least as probable as every other one.
TEST(LowConfidence, NoBetterPositionIsLeft) {
  std::mt19937 random(11);
  const auto rule = build<SelectionRule>(kRule);
  for (int trial = 0; trial < 100; ++trial) {
    Walk walk("masked", 9, 4);
    randomize(walk.positions, random);
    const std::vector<float> p = walk.positions.prediction.raw_sampled_probability;
    const std::string letters = walk.step(*rule);
    for (size_t i = 0; i < 9; ++i) {
      for (size_t j = 0; j < 9; ++j) {
        if (letters[i] == 's' && letters[j] == 'r') {
          EXPECT_TRUE(p[i] > p[j] || (p[i] == p[j] && i < j)) << letters;
        }
      }
    }
  }
}

TEST(LowConfidence, EveryCanvasIsFinished) {
  expect_done_after_the_last_step(kRule);
}

TEST(LowConfidence, OnlyUndecidedPositionsAreDecided) {
  expect_decided_positions_untouched(kRule);
}

TEST(LowConfidence, RefusesSettingsThatItDoesNotHave) {
  EXPECT_THAT(refusal<SelectionRule>("{name: low_confidence, positions: 3}"),
              ::testing::HasSubstr("unknown key 'positions'"));
}

}  // namespace
}  // namespace canvaslab
