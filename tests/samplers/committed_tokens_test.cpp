// What reaches the canvas and what is committed: masks, locked positions, suppressed tokens, argmax or
// canvas.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/samplers/loop.h"

namespace canvaslab {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Not;

const std::vector<std::string> kRules{
    "{name: entropy_bound, bound: 1}",
    "{name: entropy_bound, bound: 0, commit: argmax}",
    "{name: confidence_threshold, threshold: 0.9}",
    "{name: confidence_threshold, threshold: 0.4, confidence: sampled, commit: argmax}",
    "{name: probability_threshold, threshold: 0.5}",
    "{name: probability_threshold, threshold: 0}"};

Loop masked(const std::string& rule, int steps) {
  Loop loop;
  loop.noise = "{name: masked}";
  loop.selection = rule;
  loop.stopping = "{name: max_steps}";
  loop.config.steps = steps;
  loop.max_new_tokens = 24;
  loop.vocabulary.end = {};  // nothing is padded
  return loop;
}

// Whether steps suffice or run out, whatever is committed and however the rule decides.
TEST(MaskedCanvas, NoMaskIsLeft) {
  for (const std::string& rule : kRules) {
    for (const int steps : {1, 2, 5, 40}) {
      for (const Committed committed : {Committed::kArgmax, Committed::kCanvas}) {
        for (const bool lock : {false, true}) {
          const StubDenoiser denoiser(12, 8, dependent());
          Loop loop = masked(rule, steps);
          loop.config.committed = committed;
          loop.config.lock_committed = lock;
          for (const SampleResult& result : loop.run(denoiser, numbered(4))) {
            EXPECT_THAT(result.tokens, Not(Contains(11))) << rule << " steps " << steps << " lock " << lock;
          }
        }
      }
    }
  }
}

TEST(MaskedCanvas, ARevealedTokenNeverChanges) {
  for (const std::string& rule : kRules) {
    const StubDenoiser denoiser(12, 8, dependent());
    Loop loop = masked(rule, 12);
    loop.run(denoiser, numbered(4));
    int revealed = 0;
    for (const SeenStep& step : loop.seen.steps) {
      for (size_t i = 0; i < 8; ++i) {
        const TokenId before = step.record.canvas[i], after = step.record.next_canvas[i];
        if (before == 11) continue;
        ++revealed;
        EXPECT_EQ(after, before) << rule;
        EXPECT_EQ(step.record.prediction.argmax[i], before);  // it is known: certain, and its own prediction
        EXPECT_EQ(step.record.prediction.entropy[i], 0);
        EXPECT_EQ(step.record.decision[i], Decision::kKeep);
      }
    }
    for (const CanvasResult& canvas : loop.seen.canvases) {
      const auto steps = loop.seen.of(canvas.sample, canvas.index);
      for (size_t i = 0; i < 8; ++i) {
        const TokenId last = steps.back().record.next_canvas[i];
        if (last != 11) {
          EXPECT_EQ(canvas.tokens[i], last);
        }
      }
    }
    const bool keeps_all = rule.find("threshold: 0}") != std::string::npos;
    EXPECT_EQ(revealed == 0, keeps_all) << rule;
  }
}

TEST(MaskedCanvas, IsCompleteWhenNoMaskIsLeft) {
  const StubDenoiser denoiser(12, 8, dependent());
  Loop loop = masked("{name: confidence_threshold, threshold: 2}", 40);  // one token a step
  loop.max_new_tokens = 8;
  EXPECT_EQ(loop.run(denoiser, numbered(1)).at(0).forward_passes, 8);
  EXPECT_EQ(loop.seen.canvases.at(0).stop_reason, "complete");
}

TEST(MaskedCanvas, GivenTokensOfAnInitialCanvasStay) {
  const StubDenoiser denoiser(12, 4, always(5));
  Loop loop = masked("{name: entropy_bound}", 4);
  loop.max_new_tokens = 4;
  std::vector<SampleRequest> requests = numbered(1);
  requests[0].initial_canvas = {3, 11, 7, 11};
  EXPECT_THAT(loop.run(denoiser, requests).at(0).tokens, ElementsAre(3, 5, 7, 5));
}

// Uniform noise: accepted positions change later unless they are locked.
TEST(LockCommitted, AnAcceptedPositionIsNeverRenoised) {
  for (const bool lock : {false, true}) {
    int changed = 0, accepted_positions = 0;
    const StubDenoiser denoiser(12, 8, dependent());
    Loop loop;
    loop.selection = "{name: entropy_bound, bound: 2}";
    loop.stopping = "{name: max_steps}";
    loop.config.steps = 8;
    loop.config.lock_committed = lock;
    loop.max_new_tokens = 16;
    loop.run(denoiser, numbered(4));
    for (const CanvasResult& canvas : loop.seen.canvases) {
      std::vector<bool> accepted(8);
      for (const SeenStep& step : loop.seen.of(canvas.sample, canvas.index)) {
        for (size_t i = 0; i < 8; ++i) {
          changed += accepted[i] && step.record.next_canvas[i] != step.record.canvas[i] ? 1 : 0;
          if (step.record.decision[i] != Decision::kRenoise) accepted[i] = true, ++accepted_positions;
        }
      }
    }
    EXPECT_GT(accepted_positions, 20);
    EXPECT_EQ(changed == 0, lock) << changed;
  }
}

TEST(LockCommitted, ACanvasIsCompleteWhenAllIsLocked) {
  const StubDenoiser denoiser(12, 6, dependent());
  Loop loop;
  loop.selection = "{name: confidence_threshold, threshold: 2}";  // one a step
  loop.stopping = "{name: max_steps}";
  loop.config.steps = 40;
  loop.config.lock_committed = true;
  loop.max_new_tokens = 12;
  loop.vocabulary.end = {};
  const SampleResult result = loop.run(denoiser, numbered(1)).at(0);
  EXPECT_EQ(result.forward_passes, 12);
  EXPECT_EQ(loop.seen.canvases.at(1).stop_reason, "complete");
  const auto steps = loop.seen.of(0, 0);
  EXPECT_EQ(loop.seen.canvases.at(0).tokens, steps.back().record.next_canvas);
}

TEST(Committed, IsTheLastPredictionOrTheLastCanvas) {
  for (const Committed committed : {Committed::kArgmax, Committed::kCanvas}) {
    const StubDenoiser denoiser(12, 8, dependent());
    Loop loop;
    loop.selection = "{name: entropy_bound, bound: 0}";
    loop.vocabulary.end = {};
    loop.config.steps = 3;
    loop.config.committed = committed;
    loop.max_new_tokens = 8;
    const SampleResult result = loop.run(denoiser, numbered(1)).at(0);
    const StepRecord& last = loop.seen.steps.back().record;
    ASSERT_NE(last.prediction.argmax, last.next_canvas);
    EXPECT_EQ(result.tokens, committed == Committed::kArgmax ? last.prediction.argmax : last.next_canvas);
  }
}

// Token 6 is by far the most probable, and a small vocabulary lets noise hit it often.
TEST(Suppress, ABannedTokenIsNeverSampledPredictedOrCommitted) {
  for (const char* noise : {"{name: uniform}", "{name: masked}"}) {
    for (const std::string& rule : kRules) {
      for (const Committed committed : {Committed::kArgmax, Committed::kCanvas}) {
        for (const bool lock : {false, true}) {
          const StubDenoiser denoiser(12, 8, [](const StubDenoiser::View& view) {
            StubDenoiser::Logits z = dependent()(view);
            z[6] = 50;
            return z;
          });
          Loop loop;
          loop.noise = noise;
          loop.selection = rule;
          loop.config.steps = 5;
          loop.config.suppress = {6, 6, 2};
          loop.config.committed = committed;
          loop.config.lock_committed = lock;
          loop.max_new_tokens = 16;
          for (const SampleResult& result : loop.run(denoiser, numbered(8))) {
            EXPECT_THAT(result.tokens, Not(Contains(6))) << noise << rule << " lock " << lock;
            EXPECT_THAT(result.tokens, Not(Contains(2))) << noise << rule << " lock " << lock;
          }
          for (const SeenStep& step : loop.seen.steps) {
            EXPECT_THAT(step.record.prediction.argmax, Not(Contains(6)));
            EXPECT_THAT(step.record.prediction.sampled, Not(Contains(6)));
          }
        }
      }
    }
  }
}

TEST(Suppress, TheModelIsToldOnceAndInOrderTheMaskIncluded) {
  const StubDenoiser denoiser(12, 8, always(5));
  Loop loop;
  loop.noise = "{name: masked}";
  loop.config.suppress = {6, 2, 6};
  loop.run(denoiser, numbered(1));
  for (const auto& pass : denoiser.passes) EXPECT_THAT(pass.suppressed, ElementsAre(2, 6, 11));
  loop.noise = "{name: uniform}";
  denoiser.passes.clear();
  loop.run(denoiser, numbered(1));
  for (const auto& pass : denoiser.passes) EXPECT_THAT(pass.suppressed, ElementsAre(2, 6));
}

TEST(Greedy, TemperatureZeroGivesTheArgmaxWithoutAnyDoubt) {
  for (const char* schedule : {"{name: constant, value: 0}", "{name: linear, maximum: 0, minimum: 0}"}) {
    const StubDenoiser denoiser(12, 8, dependent());
    Loop loop;
    loop.temperature = schedule;
    loop.max_new_tokens = 8;
    loop.run(denoiser, numbered(2));
    for (const SeenStep& step : loop.seen.steps) {
      EXPECT_EQ(step.record.prediction.sampled, step.record.prediction.argmax);
      EXPECT_EQ(step.record.next_canvas, step.record.prediction.argmax);  // entropy 0: all is accepted
      EXPECT_EQ(step.record.mean_entropy, 0);
    }
  }
}

}  // namespace
}  // namespace canvaslab
