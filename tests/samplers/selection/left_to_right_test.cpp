// From left to right: hand-written walks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/samplers/selection/canvas_walk.h"
#include "tests/samplers/selection/exact_error.h"

namespace canvaslab {
namespace {

std::string walk_through(const std::string& settings, Walk walk) {
  const auto rule = build<SelectionRule>("{name: left_to_right, " + settings + "}");
  std::string text;
  while (walk.positions.time.index < walk.positions.time.count)
    text += (text.empty() ? "" : " ") + walk.step(*rule);
  return text;
}

TEST(LeftToRight, RevealsFromTheLeft) {
  EXPECT_EQ(walk_through("positions: 1", Walk("masked", 4, 4)), "srrr .srr ..sr ...s");
  EXPECT_EQ(walk_through("positions: 2", Walk("masked", 5, 4)), "ssrrr ..ssr ....s .....");
}

TEST(LeftToRight, OnePositionAStepUnlessToldOtherwise) {
  Walk walk("masked", 3, 3);
  EXPECT_EQ(walk.step(*build<SelectionRule>("{name: left_to_right}")), "srr");
}

TEST(LeftToRight, GivenPositionsAreSkipped) {
  Walk walk("masked", 6, 3);
  walk.give(0);
  walk.give(2);
  EXPECT_EQ(walk_through("positions: 1", std::move(walk)), ".s.rrr ...srr ....ss");
}

TEST(LeftToRight, TheLastStepTakesTheRest) {
  EXPECT_EQ(walk_through("positions: 1", Walk("masked", 5, 2)), "srrrr .ssss");
  EXPECT_EQ(walk_through("positions: 9", Walk("masked", 3, 2)), "sss ...");
}

TEST(LeftToRight, UnderUniformNoiseTheNumberGrows) {
  EXPECT_EQ(walk_through("positions: 2", Walk("uniform", 7, 4)), "ssrrrrr ssssrrr ssssssr sssssss");
}

TEST(LeftToRight, LooksAtNoStatistic) {
  std::mt19937 random(5);
  Walk walk("masked", 6, 6);
  randomize(walk.positions, random);
  walk.positions.temperature = 0;
  EXPECT_EQ(walk.step(*build<SelectionRule>("{name: left_to_right}")), "srrrrr");
}

// One at a time, each token is drawn given all before it: the chain rule. Two at once are drawn apart.
TEST(LeftToRight, OneAtATimeGeneratesTheModelsOwnLaw) {
  EXPECT_LT(error_with_masks("{name: left_to_right}", 4), 1e-6);
  EXPECT_GT(error_with_masks("{name: left_to_right, positions: 2}", 4), 0.1);
}

TEST(LeftToRight, EveryCanvasIsFinished) {
  expect_done_after_the_last_step("{name: left_to_right}");
  expect_done_after_the_last_step("{name: left_to_right, positions: 3}");
  expect_done_after_the_last_step("{name: left_to_right, positions: 2147483647}");
}

TEST(LeftToRight, OnlyUndecidedPositionsAreDecided) {
  expect_decided_positions_untouched("{name: left_to_right}");
}

TEST(LeftToRight, RefusesBadSettings) {
  for (const char* bad :
       {"positions: 0", "positions: -1", "positions: 1.5", "positions: null", "position: 1"})
    EXPECT_NE(refusal<SelectionRule>(fmt::format("{{name: left_to_right, {}}}", bad)), "accepted") << bad;
}

}  // namespace
}  // namespace canvaslab
