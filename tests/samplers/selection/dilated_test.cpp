// The dilated schedule: hand-written orders, and its property: what is revealed together is far apart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/samplers/selection/canvas_walk.h"
#include "tests/samplers/selection/exact_error.h"

namespace canvaslab {
namespace {

// The step at which each position is revealed.
std::vector<int> steps_of(int base, Walk walk) {
  const auto rule = build<SelectionRule>(fmt::format("{{name: dilated, base: {}}}", base));
  std::vector<int> revealed(walk.given.size(), -1);
  while (walk.positions.time.index < walk.positions.time.count) {
    const int step = walk.positions.time.index;
    const std::string letters = walk.step(*rule);
    for (size_t i = 0; i < letters.size(); ++i) {
      if (letters[i] == 's') revealed[i] = step;
    }
  }
  return revealed;
}

TEST(Dilated, HandWrittenOrders) {
  EXPECT_EQ(steps_of(2, Walk("masked", 8, 9)), (std::vector<int>{0, 2, 1, 2, 0, 2, 1, 2}));
  EXPECT_EQ(steps_of(2, Walk("masked", 5, 9)), (std::vector<int>{0, 2, 1, 2, 0}));
  EXPECT_EQ(steps_of(3, Walk("masked", 9, 9)), (std::vector<int>{0, 1, 1, 0, 1, 1, 0, 1, 1}));
  EXPECT_EQ(steps_of(4, Walk("masked", 8, 9)), (std::vector<int>{0, 1, 1, 1, 0, 1, 1, 1}));
  EXPECT_EQ(steps_of(2, Walk("masked", 1, 9)), (std::vector<int>{0}));
  EXPECT_EQ(steps_of(2, Walk("masked", 2, 9)), (std::vector<int>{0, 0}));
}

// With base a, the positions of step t = 0, 1, ... are at least P / a^(t + 1) apart, where P is the smallest
// power of a that is at least L; log_a P steps reveal all.
TEST(Dilated, WhatIsRevealedTogetherIsFarApart) {
  for (const int base : {2, 3, 5}) {
    for (int length = 1; length <= 70; ++length) {
      int power = 1, groups = 0;
      for (; power < length; power *= base) ++groups;
      const std::vector<int> step = steps_of(base, Walk("masked", static_cast<size_t>(length), 20));
      for (int i = 0; i < length; ++i) {
        ASSERT_GE(step[i], 0) << "position " << i << " of " << length;
        ASSERT_LT(step[i], std::max(groups, 1));
        int gap = power / base;
        for (int t = 0; t < step[i]; ++t) gap /= base;
        for (int j = i + 1; j < length && j < i + gap; ++j) ASSERT_NE(step[j], step[i]) << i << ", " << j;
      }
    }
  }
}

TEST(Dilated, WithBaseTwoNoTwoNeighboursAreRevealedTogether) {
  for (size_t length = 3; length <= 70; ++length) {
    const std::vector<int> step = steps_of(2, Walk("masked", length, 20));
    for (size_t i = 1; i < length; ++i) EXPECT_NE(step[i - 1], step[i]) << i << " of " << length;
  }
}

TEST(Dilated, GroupsThatAreGivenTakeNoStep) {
  Walk walk("masked", 8, 9);
  walk.give(0);
  walk.give(4);
  EXPECT_EQ(steps_of(2, std::move(walk)), (std::vector<int>{-1, 1, 0, 1, -1, 1, 0, 1}));
}

TEST(Dilated, TheLastStepTakesTheRest) {
  EXPECT_EQ(steps_of(2, Walk("masked", 8, 2)), (std::vector<int>{0, 1, 1, 1, 0, 1, 1, 1}));
  EXPECT_EQ(steps_of(2, Walk("masked", 8, 1)), std::vector<int>(8, 0));
}

TEST(Dilated, UnderUniformNoiseTheGroupsSoFarAreCommitted) {
  Walk walk("uniform", 8, 5);
  const auto rule = build<SelectionRule>("{name: dilated}");
  EXPECT_EQ(walk.step(*rule), "srrrsrrr");
  EXPECT_EQ(walk.step(*rule), "srsrsrsr");
  EXPECT_EQ(walk.step(*rule), "ssssssss");
  EXPECT_EQ(walk.step(*rule), "ssssssss");
}

TEST(Dilated, LooksAtNoStatistic) {
  std::mt19937 random(5);
  Walk walk("masked", 8, 8);
  randomize(walk.positions, random);
  walk.positions.temperature = 0;
  EXPECT_EQ(walk.step(*build<SelectionRule>("{name: dilated}")), "srrrsrrr");
}

// Two steps: the first reveals two positions with one between them, the second the others, each between
// revealed neighbours. Neighbours at once are drawn worse.
TEST(Dilated, LosesLessThanNeighboursRevealedTogether) {
  EXPECT_LT(error_with_masks("{name: dilated}", 2),
            error_with_masks("{name: left_to_right, positions: 2}", 2));
}

TEST(Dilated, EveryCanvasIsFinished) {
  expect_done_after_the_last_step("{name: dilated}");
  expect_done_after_the_last_step("{name: dilated, base: 2147483647}");
}

TEST(Dilated, OnlyUndecidedPositionsAreDecided) {
  expect_decided_positions_untouched("{name: dilated}");
}

TEST(Dilated, RefusesBadSettings) {
  for (const char* bad : {"base: 1", "base: 0", "base: -2", "base: 2.5", "base: null", "bass: 2"})
    EXPECT_NE(refusal<SelectionRule>(fmt::format("{{name: dilated, {}}}", bad)), "accepted") << bad;
}

}  // namespace
}  // namespace canvaslab
