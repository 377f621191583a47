// Block refinement: quotas, threshold, editing, and how the loop ends. The recorded cases of the second
// reference stand in tests/experiments/scheduler_cases_golden_test.cpp.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/options.h"
#include "tests/samplers/loop.h"
#include "tests/samplers/selection/positions.h"

namespace canvaslab {
namespace {

using ::testing::Each;

std::string decide(const std::string& settings, StepTime time, const std::vector<float>& probability,
                   const std::vector<std::uint8_t>& undecided = {}) {
  Positions positions(probability.size());
  positions.prediction.sampled_probability = probability;
  positions.time = time;
  if (!undecided.empty()) positions.undecided = undecided;
  return positions.decide(*build<SelectionRule>("{name: block_refinement, " + settings + "}"));
}

TEST(BlockRefinement, CommitsTheQuotaOfTheStep) {
  const std::vector<float> p{0.1F, 0.4F, 0.2F, 0.3F};
  EXPECT_EQ(decide("threshold: 0.9", {0, 3}, p), "rsrs");  // 4 = 2 + 1 + 1
  EXPECT_EQ(decide("threshold: 0.9", {1, 3}, p), "rsrr");
  EXPECT_EQ(decide("threshold: 0.9", {5, 6}, p), "rrrr");  // 4 = 1 + 1 + 1 + 1 + 0 + 0
}

TEST(BlockRefinement, CommitsAllThatExceedsTheThreshold) {
  EXPECT_EQ(decide("threshold: 0.5", {0, 4}, {0.6F, 0.5F, 0.9F, 0.7F}), "srss");  // strictly
  EXPECT_EQ(decide("threshold: 2", {0, 4}, {0.6F, 0.5F, 0.9F, 0.7F}), "rrsr");    // above 1: the quota alone
  EXPECT_EQ(decide("threshold: 0", {0, 4}, {0.6F, 0.5F, 0.9F, 0.7F}), "ssss");
}

TEST(BlockRefinement, ACumulativeQuotaCountsWhatIsDecided) {
  const std::vector<float> p{0.1F, 0.4F, 0.2F, 0.3F};
  EXPECT_EQ(decide("quota: cumulative", {0, 3}, p), "rsrs");                // 2 of ceil(4 / 3) = 2
  EXPECT_EQ(decide("quota: cumulative", {1, 3}, p, {1, 0, 1, 0}), "r.s.");  // 3 of ceil(8 / 3) = 3
  EXPECT_EQ(decide("quota: cumulative", {1, 3}, p, {1, 0, 0, 0}), "r...");  // ahead of it
  EXPECT_EQ(decide("quota: cumulative", {2, 3}, p, {1, 1, 0, 0}), "ss..");  // the last step: all
}

TEST(BlockRefinement, AtTemperatureZeroThePlainProbabilityCounts) {
  Positions positions(2);
  positions.prediction.sampled_probability = {1, 1};
  positions.prediction.raw_sampled_probability = {0.2F, 0.8F};
  positions.time = {0, 2};
  const auto rule = build<SelectionRule>("{name: block_refinement, threshold: 0.9}");
  EXPECT_EQ(positions.decide(*rule), "ss");
  positions.temperature = 0;
  EXPECT_EQ(positions.decide(*rule), "rs");
}

TEST(BlockRefinement, EditsDecidedPositions) {
  Positions positions(4);
  positions.canvas = {7, 7, 7, 7};
  positions.prediction.sampled = {8, 8, 7, 8};
  positions.prediction.sampled_probability = {0.9F, 0.5F, 0.9F, 0.9F};
  positions.undecided = {0, 0, 0, 0};
  positions.editable = {1, 1, 1, 0};
  const auto edits = build<SelectionRule>("{name: block_refinement, editing_threshold: 0.5}");
  EXPECT_TRUE(edits->needs().edits);
  EXPECT_EQ(positions.decide(*edits), "skk.");
  EXPECT_FALSE(build<SelectionRule>("{name: block_refinement}")->needs().edits);
}

// Revealed wrong at first; a later prediction corrects it, and the canvas ends when nothing changes any more.
TEST(BlockRefinement, TheLoopEditsUntilNothingChanges) {
  const StubDenoiser denoiser(12, 4, [](const StubDenoiser::View& view) {
    return certain(view.pass == 0 ? 4 : view.pass < 3 ? 6 : 8);
  });
  Loop loop;
  loop.noise = "{name: masked}";
  loop.stopping = "{name: max_steps}";
  loop.config.steps = 10;
  loop.selection = "{name: block_refinement, threshold: 0.9}";
  EXPECT_THAT(loop.run(denoiser, numbered(1))[0].tokens, Each(4));
  EXPECT_EQ(loop.seen.canvases[0].steps, 1);
  loop.selection = "{name: block_refinement, threshold: 0.9, editing_threshold: 0.9}";
  EXPECT_THAT(loop.run(denoiser, numbered(1))[0].tokens, Each(6));  // edited in step 2, unchanged in step 3
  EXPECT_EQ(loop.seen.canvases[0].steps, 3);
  EXPECT_EQ(loop.seen.canvases[0].stop_reason, "complete");
}

TEST(BlockRefinement, GivenPositionsAreNeverEdited) {
  const StubDenoiser denoiser(12, 4, always(6));
  Loop loop;
  loop.noise = "{name: masked}";
  loop.stopping = "{name: max_steps}";
  loop.selection = "{name: block_refinement, threshold: 0.9, editing_threshold: 0.5}";
  std::vector<SampleRequest> requests = numbered(1);
  requests[0].initial_canvas = {2, 3, 11, 11};
  requests[0].fixed = {1, 0, 0, 0};
  EXPECT_THAT(loop.run(denoiser, requests)[0].tokens, ::testing::ElementsAre(2, 6, 6, 6));
}

TEST(BlockRefinement, UnderUniformNoiseCommittedPositionsStay) {
  const StubDenoiser denoiser(12, 4, dependent());
  Loop loop;
  loop.selection = "{name: block_refinement, quota: cumulative}";
  loop.stopping = "{name: max_steps}";
  loop.config.lock_committed = true;
  loop.config.steps = 4;
  loop.run(denoiser, numbered(20));
  for (const SeenStep& seen : loop.seen.steps) {
    int renoised = 0;
    for (const Decision decision : seen.record.decision) renoised += decision == Decision::kRenoise ? 1 : 0;
    EXPECT_LE(renoised, 3 - seen.record.time.index);
  }
}

TEST(BlockRefinement, RefusesBadSettings) {
  for (const char* bad : {"threshold: -1", "threshold: null", "editing_threshold: -0.1", "quota: all"}) {
    EXPECT_NE(refusal<SelectionRule>(fmt::format("{{name: block_refinement, {}}}", bad)), "accepted") << bad;
  }
}

}  // namespace
}  // namespace canvaslab
