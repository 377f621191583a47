// A step that re-noises nothing, by hand and in the loop.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/samplers/loop.h"
#include "tests/samplers/stopping/steps.h"

namespace canvaslab {
namespace {

constexpr Decision kKeep = Decision::kKeep, kSampled = Decision::kCommitSampled,
                   kArgmax = Decision::kCommitArgmax, kRenoise = Decision::kRenoise;

TEST(AllRevealed, StopsWhereNothingIsRenoised) {
  const std::vector<Step> steps{{{1, 2}, 0, {}, {}, {kRenoise, kRenoise}},
                                {{1, 2}, 0, {}, {}, {kSampled, kRenoise}},
                                {{1, 2}, 0, {}, {}, {kSampled, kArgmax}},
                                {{1, 2}, 0, {}, {}, {kRenoise, kKeep}},
                                {{1, 2}, 0, {}, {}, {kKeep, kKeep}}};
  EXPECT_EQ(stops(*build<StoppingCriterion>("{name: all_revealed}"), steps), "00101");
}

// Under uniform noise nothing else ends a canvas before its last step.
TEST(AllRevealed, EndsACanvasWhoseRuleCommitsEverything) {
  const StubDenoiser denoiser(12, 4, always(6));
  Loop loop;
  loop.config.steps = 9;
  loop.selection = "{name: left_to_right, positions: 2}";
  loop.stopping = "{name: all_revealed}";
  loop.run(denoiser, numbered(1));
  EXPECT_EQ(loop.seen.canvases[0].steps, 2);
  EXPECT_EQ(loop.seen.canvases[0].stop_reason, "stopped");
  loop.stopping = "{name: max_steps}";
  loop.run(denoiser, numbered(1));
  EXPECT_EQ(loop.seen.canvases[0].steps, 9);
}

TEST(AllRevealed, RefusesSettingsThatItDoesNotHave) {
  EXPECT_THAT(refusal<StoppingCriterion>("{name: all_revealed, share: 0.9}"),
              ::testing::HasSubstr("unknown key 'share'"));
}

}  // namespace
}  // namespace canvaslab
