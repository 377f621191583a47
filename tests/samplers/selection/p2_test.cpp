// Path planning: which positions compete, how many are re-noised, and that the loop takes mistakes back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/samplers/loop.h"
#include "tests/samplers/selection/canvas_walk.h"

namespace canvaslab {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

// Three masks (1, 3, 5), three visible tokens.
Positions half_revealed() {
  Positions positions(6);
  positions.undecided = {0, 1, 0, 1, 0, 1};
  positions.editable = {1, 0, 1, 0, 1, 0};
  positions.prediction.sampled_probability = {0, 0.875F, 0, 0.375F, 0, 0.125F};
  positions.prediction.current_probability = {0.25F, 0, 0.75F, 0, 0.5F, 0};
  return positions;
}

std::string decide(const Positions& positions, const std::string& settings = "visible: current") {
  return positions.decide(*build<SelectionRule>("{name: p2, " + settings + "}"));
}

TEST(P2, VisiblePositionsCompeteWithMasks) {
  Positions positions = half_revealed();
  EXPECT_TRUE(build<SelectionRule>("{name: p2}")->needs().edits);
  const std::vector<std::string> by_kept{"rrrrrr", "rsrrrr", "rskrrr", "rskrkr",
                                         "rskskr", "kskskr", "ksksks"};
  for (size_t kept = 0; kept <= 6; ++kept) {
    positions.survival = {0, static_cast<double>(kept) / 6};
    EXPECT_EQ(decide(positions), by_kept[kept]);
  }
}

// floor((1 - alpha_s) n) are re-noised: given positions are not among the n.
TEST(P2, TheScheduleSaysHowManyAreRenoised) {
  Positions positions = half_revealed();
  positions.editable[0] = 0;
  for (int share = 0; share <= 20; ++share) {
    positions.survival = {0, share / 20.0};
    const std::string letters = decide(positions);
    EXPECT_EQ(std::count(letters.begin(), letters.end(), 'r'), (20 - share) * 5 / 20) << share;
  }
}

TEST(P2, EtaScalesTheVisibleScores) {
  Positions positions = half_revealed();
  positions.survival = {0, 0.5};
  EXPECT_EQ(decide(positions, "visible: current, eta: 0"), "krkrkr");   // visible ones are never re-noised
  EXPECT_EQ(decide(positions, "visible: current, eta: 1"), "rskrkr");   // 0.875, 0.75, 0.5
  EXPECT_EQ(decide(positions, "visible: current, eta: 2"), "rsksrr");   // 0.875, 0.5625, 0.375 against 0.25
  EXPECT_EQ(decide(positions, "visible: current, eta: 10"), "rsrsrs");  // 0.056 at most
}

TEST(P2, VisiblePositionsMayBeScoredByTheirSamples) {
  Positions positions = half_revealed();
  positions.survival = {0, 0.5};
  positions.prediction.sampled_probability = {0.5F, 0.875F, 0.25F, 0.375F, 0.75F, 0.125F};
  EXPECT_EQ(decide(positions, "visible: current"), "rskrkr");
  EXPECT_EQ(decide(positions, "visible: sampled"), "ksrrkr");
  EXPECT_EQ(decide(positions, "visible: sampled, eta: 2"), "rsrskr");  // 0.25 against 0.375
  positions.temperature = 0;
  positions.prediction.raw_sampled_probability = {0.5F, 0.25F, 0.875F, 0.375F, 0.125F, 0.75F};
  EXPECT_EQ(decide(positions, "visible: sampled"), "krkrrs");
}

TEST(P2, OfEqualScoresTheVisibleStays) {
  Positions positions = half_revealed();
  positions.prediction.sampled_probability.assign(6, 1);
  positions.prediction.current_probability.assign(6, 0);
  positions.survival = {0, 0.5};
  EXPECT_EQ(decide(positions, "visible: current, eta: 0"), "krkrkr");
  positions.prediction.sampled_probability.assign(6, 0.5F);
  positions.prediction.current_probability.assign(6, 0.5F);
  positions.survival = {0, 4.0 / 6};
  EXPECT_EQ(decide(positions), "kskrkr");
}

TEST(P2, TheLastStepRenoisesNothing) {
  Positions positions = half_revealed();
  positions.survival = {0.5, 0.6};
  positions.time = {9, 10};
  EXPECT_EQ(decide(positions), "ksksks");
}

TEST(P2, AtTemperatureZeroThePlainProbabilityCounts) {
  Positions positions = half_revealed();
  positions.temperature = 0;
  positions.survival = {0, 0.5};
  positions.prediction.current_probability = {1, 0, 1, 0, 1, 0};
  positions.prediction.sampled_probability.assign(6, 1);
  positions.prediction.raw_sampled_probability = {0.75F, 0.5F, 0.25F, 0.625F, 0.875F, 0.125F};
  positions.prediction.sampled[0] = positions.canvas[0];
  positions.prediction.sampled[2] = positions.canvas[2];  // position 4: another token is more probable
  EXPECT_EQ(decide(positions), "ksrsrr");
}

TEST(P2, UnderUniformNoiseTheBestSamplesAreCommitted) {
  EXPECT_THAT(commits_by_step("{name: p2}", "uniform", 10, 4), ElementsAre(3, 5, 8, 10));
}

TEST(P2, EveryCanvasIsFinished) {
  expect_done_after_the_last_step("{name: p2}");
}

TEST(P2, OnlyPositionsThatAreNotGivenAreDecided) {
  expect_decided_positions_untouched("{name: p2}");
}

// The first step reveals wrong tokens at half of the positions. From then on the model is sure of 6, so that
// what is visible and not 6 becomes a mask again, never another token at once.
TEST(P2, TheLoopTakesMistakesBack) {
  const StubDenoiser denoiser(12, 4,
                              [](const StubDenoiser::View& view) { return certain(view.pass == 0 ? 4 : 6); });
  Loop loop;
  loop.noise = "{name: masked}";
  loop.stopping = "{name: max_steps}";
  loop.selection = "{name: p2, visible: current}";
  loop.config.steps = 4;
  EXPECT_THAT(loop.run(denoiser, numbered(1))[0].tokens, Each(6));
  std::vector<std::vector<TokenId>> canvases;
  for (const SeenStep& seen : loop.seen.steps) canvases.push_back(seen.record.canvas);
  EXPECT_THAT(canvases, ElementsAre(Each(11), ElementsAre(4, 11, 11, 11), ElementsAre(11, 6, 6, 11),
                                    ElementsAre(6, 6, 6, 11)));
  loop.selection = "{name: p2, visible: current, eta: 0}";
  EXPECT_THAT(loop.run(denoiser, numbered(1))[0].tokens, ElementsAre(4, 6, 6, 6));
}

TEST(P2, GivenPositionsAreNeverRenoised) {
  const StubDenoiser denoiser(12, 4, always(6));
  Loop loop;
  loop.noise = "{name: masked}";
  loop.stopping = "{name: max_steps}";
  loop.selection = "{name: p2, visible: current, eta: 5}";
  loop.config.steps = 3;
  std::vector<SampleRequest> requests = numbered(1);
  requests[0].initial_canvas = {2, 3, 11, 11};
  requests[0].fixed = {1, 0, 0, 0};
  EXPECT_THAT(loop.run(denoiser, requests)[0].tokens, ElementsAre(2, 6, 6, 6));
  for (const SeenStep& seen : loop.seen.steps) EXPECT_EQ(seen.record.canvas[0], 2);
}

TEST(P2, RefusesBadSettings) {
  for (const char* bad : {"eta: -1", "eta: .nan", "eta: null", "etha: 1", "visible: argmax"})
    EXPECT_NE(refusal<SelectionRule>(fmt::format("{{name: p2, {}}}", bad)), "accepted") << bad;
}

}  // namespace
}  // namespace canvaslab
