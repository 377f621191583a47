// Random remasking: its quota, and that every position is as likely as every other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/samplers/selection/canvas_walk.h"
#include "tests/samplers/selection/exact_error.h"

namespace canvaslab {
namespace {

using ::testing::ElementsAre;

constexpr const char* kRule = "{name: random_quota}";

TEST(RandomQuota, TheQuotaIsAnEvenSplit) {
  EXPECT_THAT(commits_by_step(kRule, "masked", 10, 4), ElementsAre(3, 3, 2, 2));
  EXPECT_THAT(commits_by_step(kRule, "masked", 3, 5), ElementsAre(1, 1, 1, 0, 0));
  EXPECT_THAT(commits_by_step(kRule, "uniform", 10, 4), ElementsAre(3, 5, 8, 10));
}

TEST(RandomQuota, CommitsThePositionsWithTheLargestNumbers) {
  Walk walk("masked", 5, 2);
  walk.positions.draws.values = {{0.25, 0.75, 0.5, 0.0, 0.5}};
  EXPECT_EQ(walk.positions.decide(*build<SelectionRule>(kRule)), "rssrs");
  walk.positions.draws.values = {{0.5, 0.5, 0.5, 0.5, 0.5}};
  EXPECT_EQ(walk.positions.decide(*build<SelectionRule>(kRule)), "sssrr");
}

TEST(RandomQuota, LooksAtNoStatistic) {
  std::mt19937 random(5);
  Walk walk("masked", 8, 3);
  randomize(walk.positions, random);
  const auto rule = build<SelectionRule>(kRule);
  const auto draws = walk.positions.draws.values;
  const std::string before = walk.positions.decide(*rule);
  randomize(walk.positions, random);
  walk.positions.draws.values = draws;
  walk.positions.temperature = 0;
  EXPECT_EQ(walk.positions.decide(*rule), before);
}

// 2 of 4 positions: each of the 6 pairs in a sixth of 6,000 draws, 1,000 +- 5 standard deviations of 28.9.
TEST(RandomQuota, EveryPairIsAsLikely) {
  std::mt19937 random(6);
  const auto rule = build<SelectionRule>(kRule);
  std::map<std::string, int> seen;
  for (int trial = 0; trial < 6000; ++trial) {
    Walk walk("masked", 4, 2);
    randomize(walk.positions, random);
    ++seen[walk.step(*rule)];
  }
  EXPECT_EQ(seen.size(), 6U);
  for (const auto& [letters, times] : seen) EXPECT_NEAR(times, 1000, 145) << letters;
}

TEST(RandomQuota, ListsEverySetOnce) {
  Walk walk("masked", 6, 2);
  walk.give(2);
  const auto law = law_of(*build<SelectionRule>(kRule), walk.positions);
  EXPECT_EQ(law.size(), 10U);  // 3 of 5
  for (const auto& [letters, probability] : law) {
    EXPECT_EQ(committed(letters), 3);
    EXPECT_EQ(letters[2], 'k');
    EXPECT_NEAR(probability, 0.1, 1e-12);
  }
}

// The chain rule holds in every order.
TEST(RandomQuota, OneAtATimeGeneratesTheModelsOwnLaw) {
  EXPECT_LT(error_with_masks("{name: random_quota}", 4), 1e-6);
  EXPECT_GT(error_with_masks("{name: random_quota}", 2), 0.1);
}

TEST(RandomQuota, EveryCanvasIsFinished) {
  expect_done_after_the_last_step(kRule);
}

TEST(RandomQuota, OnlyUndecidedPositionsAreDecided) {
  expect_decided_positions_untouched(kRule);
}

TEST(RandomQuota, RefusesSettingsThatItDoesNotHave) {
  EXPECT_THAT(refusal<SelectionRule>("{name: random_quota, seed: 3}"),
              ::testing::HasSubstr("unknown key 'seed'"));
}

}  // namespace
}  // namespace canvaslab
