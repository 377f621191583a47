// The loop: how many steps and canvases it takes, what it passes on, what it shows, and what it refuses.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "samplers/block_sampler.h"
#include "tests/samplers/loop.h"

namespace canvaslab {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(BlockSampler, CertainFromTheFirstStepStopsAfterTwoEqualPredictions) {
  for (const auto& [stability, steps] : {std::pair{0, 1}, {1, 2}, {2, 3}, {3, 4}}) {
    const StubDenoiser denoiser(12, 4, always(5));
    Loop loop;
    loop.stopping = fmt::format("{{name: stable_and_confident, stability: {}}}", stability);
    const SampleResult result = loop.run(denoiser, numbered(1)).at(0);
    EXPECT_EQ(result.forward_passes, steps) << "stability " << stability;
    EXPECT_EQ(static_cast<int>(denoiser.passes.size()), steps);
    EXPECT_EQ(loop.seen.canvases.at(0).steps, steps);
    EXPECT_EQ(loop.seen.canvases.at(0).stop_reason, "stopped");
    EXPECT_THAT(result.tokens, AllOf(::testing::SizeIs(4), Each(5)));
  }
}

// Never sure: the canvas takes every step it may, and no more.
TEST(BlockSampler, RunsAllStepsWhenNothingStopsIt) {
  for (const int steps : {1, 2, 9}) {
    const StubDenoiser denoiser(12, 4, dependent());
    Loop loop;
    loop.config.steps = steps;
    EXPECT_EQ(loop.run(denoiser, numbered(1)).at(0).forward_passes, steps);
    EXPECT_EQ(loop.seen.canvases.at(0).stop_reason, "steps");
  }
}

// The stopping criterion sees the tempered distribution: at temperature 1 this model is never sure, at 0.05
// it is.
TEST(BlockSampler, StopIsDecidedOnTemperedLogits) {
  const StubDenoiser denoiser(12, 4, [](const StubDenoiser::View&) {
    StubDenoiser::Logits z = undecided();
    z[3] = 2;
    return z;
  });
  Loop loop;
  loop.config.steps = 6;
  EXPECT_EQ(loop.run(denoiser, numbered(1)).at(0).forward_passes, 6);
  const float vague = loop.seen.steps.back().record.mean_entropy;
  loop.temperature = "{name: constant, value: 0.05}";
  EXPECT_EQ(loop.run(denoiser, numbered(1)).at(0).forward_passes, 2);
  EXPECT_GT(vague, 1);
  EXPECT_LT(loop.seen.steps.back().record.mean_entropy, 0.005);
  EXPECT_EQ(loop.seen.steps.back().record.temperature, 0.05F);
}

TEST(BlockSampler, MoreTokensThanACanvasTakeSeveralCanvases) {
  for (const auto& [tokens, canvases] : {std::pair{1, 1}, {256, 1}, {257, 2}, {600, 3}}) {
    const StubDenoiser denoiser(12, 256, always(5));
    Loop loop;
    loop.max_new_tokens = tokens;
    const SampleResult result = loop.run(denoiser, numbered(1)).at(0);
    EXPECT_EQ(result.canvases, canvases);
    EXPECT_EQ(static_cast<int>(result.tokens.size()), tokens);
    EXPECT_EQ(result.generated, tokens);
    EXPECT_EQ(denoiser.extended, canvases - 1);  // the last canvas is not read again
    EXPECT_EQ(result.stop_reason, "length");
  }
}

// A later canvas sees the finished ones, and starts with a fresh history and no earlier pass.
TEST(BlockSampler, LaterCanvasesContinueTheFinishedOnes) {
  const StubDenoiser denoiser(12, 2,
                              [](const StubDenoiser::View& view) { return certain(view.before.back() + 1); });
  Loop loop;
  loop.max_new_tokens = 6;
  const std::vector<SampleRequest> requests{
      {.sample = 0, .prompt = {2, 4}, .padding_before = 0, .initial_canvas = {}}};
  EXPECT_THAT(loop.run(denoiser, requests).at(0).tokens, ElementsAre(5, 5, 6, 6, 7, 7));
  for (std::uint32_t canvas = 0; canvas < 3; ++canvas)
    EXPECT_EQ(loop.seen.of(0, canvas).size(), 2U) << canvas;
}

TEST(BlockSampler, TheObserverSeesEveryStepOnce) {
  const StubDenoiser denoiser(12, 4, dependent());
  Loop loop;
  loop.config.steps = 5;
  loop.config.batch = 2;
  loop.max_new_tokens = 12;
  const std::vector<SampleResult> results = loop.run(denoiser, numbered(3));
  std::set<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>> keys;
  for (const SeenStep& seen : loop.seen.steps) keys.insert({seen.key.sample, seen.key.canvas, seen.key.step});
  EXPECT_EQ(keys.size(), loop.seen.steps.size());
  size_t passes = 0, canvases = 0, steps = 0;
  for (const SampleResult& result : results)
    passes += static_cast<size_t>(result.forward_passes), canvases += static_cast<size_t>(result.canvases);
  for (const CanvasResult& canvas : loop.seen.canvases) {
    const std::vector<SeenStep> seen = loop.seen.of(canvas.sample, canvas.index);
    ASSERT_EQ(static_cast<int>(seen.size()), canvas.steps);
    steps += seen.size();
    for (size_t i = 0; i < seen.size(); ++i) {
      EXPECT_EQ(seen[i].key.step, i);
      EXPECT_EQ(seen[i].record.time.index, static_cast<int>(i));
      EXPECT_EQ(seen[i].record.time.count, 5);
    }
    for (size_t i = 1; i < seen.size(); ++i) EXPECT_EQ(seen[i].record.canvas, seen[i - 1].record.next_canvas);
  }
  EXPECT_EQ(steps, loop.seen.steps.size());
  EXPECT_EQ(passes, loop.seen.steps.size());
  EXPECT_EQ(canvases, loop.seen.canvases.size());
  EXPECT_EQ(loop.seen.samples.size(), 3U);
}

// What the record says was decided is what happened to the canvas.
TEST(BlockSampler, TheNextCanvasFollowsFromTheDecisions) {
  for (const char* rule :
       {"{name: entropy_bound, bound: 2}", "{name: entropy_bound, bound: 2, commit: argmax}",
        "{name: probability_threshold, threshold: 0.3}", "{name: confidence_threshold, threshold: 0.4}"}) {
    const StubDenoiser denoiser(12, 6, dependent());
    Loop loop;
    loop.selection = rule;
    loop.config.steps = 8;
    loop.max_new_tokens = 6;
    loop.run(denoiser, numbered(3));
    std::set<Decision> decisions;
    for (const SeenStep& seen : loop.seen.steps) {
      const StepRecord& r = seen.record;
      for (size_t i = 0; i < r.canvas.size(); ++i) {
        decisions.insert(r.decision[i]);
        const TokenId expected[] = {r.canvas[i], r.prediction.sampled[i], r.prediction.argmax[i], r.noise[i]};
        EXPECT_EQ(r.next_canvas[i], expected[static_cast<int>(r.decision[i])]);
      }
    }
    EXPECT_GE(decisions.size(), 2U) << rule;
  }
}

// Draws for one purpose are not those for another, nor those of another step.
TEST(BlockSampler, NoiseComesFromItsOwnStream) {
  const StubDenoiser denoiser(12, 64, dependent());
  Loop loop;
  loop.config.steps = 3;
  loop.max_new_tokens = 64;
  loop.run(denoiser, numbered(1));
  CounterRandom random(loop.seed);
  std::vector<TokenId> drawn(64);
  for (const SeenStep& seen : loop.seen.steps) {
    random.tokens(std::span(&seen.key, 1), Purpose::kNoise, 12, 64, drawn);
    EXPECT_EQ(seen.record.noise, drawn);
  }
  const StreamKey first{.sample = 0, .canvas = 0, .step = 0};
  random.tokens(std::span(&first, 1), Purpose::kInitialCanvas, 12, 64, drawn);
  EXPECT_EQ(loop.seen.steps.at(0).record.canvas, drawn);
}

TEST(BlockSampler, TemperatureFollowsTheSchedule) {
  const StubDenoiser denoiser(12, 4, dependent());
  Loop loop;
  loop.temperature = "{name: linear, maximum: 2, minimum: 1, endpoint: included}";
  loop.config.steps = 5;
  loop.run(denoiser, numbered(1));
  std::vector<float> asked;
  for (const auto& pass : denoiser.passes) asked.push_back(pass.temperature.at(0));
  EXPECT_THAT(asked, ElementsAre(2, 1.75F, 1.5F, 1.25F, 1));
}

// Logits divided by 1e-38 are infinite.
TEST(BlockSampler, TemperaturesBelowTheRangeOfLogitsAreGreedy) {
  for (const auto& [value, asked] :
       {std::pair{"1e-38", 0.0F}, {"1e-44", 0.0F}, {"1e-6", 1e-6F}, {"1e-20", 1e-20F}}) {
    const StubDenoiser denoiser(12, 4, dependent());
    Loop loop;
    loop.temperature = fmt::format("{{name: constant, value: {}}}", value);
    loop.run(denoiser, numbered(1));
    for (const auto& pass : denoiser.passes) EXPECT_EQ(pass.temperature.at(0), asked);
    EXPECT_EQ(loop.seen.steps.at(0).record.temperature, asked);
  }
}

TEST(BlockSampler, SelfConditioningIsPassedOn) {
  for (const SelfConditioning kind :
       {SelfConditioning::kTempered, SelfConditioning::kRaw, SelfConditioning::kOff}) {
    const StubDenoiser denoiser(12, 4, always(5));
    Loop loop;
    loop.config.self_conditioning = kind;
    loop.run(denoiser, numbered(1));
    for (const auto& pass : denoiser.passes) EXPECT_EQ(pass.self_conditioning, kind);
  }
}

TEST(BlockSampler, AGivenCanvasIsTheFirstOneOnly) {
  const StubDenoiser denoiser(12, 4, always(5));
  Loop loop;
  loop.max_new_tokens = 8;
  std::vector<SampleRequest> requests = numbered(2);
  requests[0].initial_canvas = {9, 8, 7, 6};
  loop.run(denoiser, requests);
  EXPECT_THAT(loop.seen.of(0, 0).at(0).record.canvas, ElementsAre(9, 8, 7, 6));
  EXPECT_NE(loop.seen.of(0, 1).at(0).record.canvas, loop.seen.of(0, 0).at(0).record.canvas);
  const Recorder with = loop.seen;
  loop.run(denoiser,
           numbered(2));  // the draws of the other row and of the next canvas are what they would have been
  EXPECT_EQ(loop.seen.of(1, 0).at(0).record.canvas, with.of(1, 0).at(0).record.canvas);
  EXPECT_EQ(loop.seen.of(0, 1).at(0).record.canvas, with.of(0, 1).at(0).record.canvas);
}

TEST(BlockSampler, ACanvasOfOneTokenWorks) {
  const StubDenoiser denoiser(12, 1, always(5));
  Loop loop;
  loop.max_new_tokens = 3;
  EXPECT_THAT(loop.run(denoiser, numbered(1)).at(0).tokens, ElementsAre(5, 5, 5));
}

TEST(BlockSampler, AnEmptyPromptWorks) {
  const StubDenoiser denoiser(12, 4, always(5));
  Loop loop;
  EXPECT_THAT(loop.run(denoiser, {SampleRequest{}}).at(0).tokens, ElementsAre(5, 5, 5, 5));
}

TEST(BlockSampler, NothingAskedNothingDone) {
  const StubDenoiser denoiser(12, 4, always(5));
  Loop loop;
  EXPECT_THAT(loop.run(denoiser, {}), IsEmpty());
  EXPECT_THAT(denoiser.passes, IsEmpty());
}

// Non-finite logits end the run with the place, even in a batch of rows that are at different canvases and
// steps.
TEST(BlockSampler, ANonFinitePredictionNamesItsPlace) {
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    const StubDenoiser denoiser(12, 4, [bad](const StubDenoiser::View& view) {
      StubDenoiser::Logits z = dependent()(view);
      if (view.sample == 0) z = certain(5);  // leaves early: later neighbours are out of step
      if (view.sample == 3 && view.canvas == 0 && view.pass == 3 && view.position == 1) z[6] = bad;
      return z;
    });
    Loop loop;
    loop.config.steps = 5;
    loop.config.batch = 2;
    loop.max_new_tokens = 8;
    loop.vocabulary.end = {};  // every row takes all its canvases
    try {
      loop.run(denoiser, numbered(6));
      FAIL() << "the run went on";
    } catch (const ConfigurationError& error) {
      FAIL() << "not the configuration's fault: " << error.what();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("non-finite logit: sample 3, canvas 0, step 3, position 1"));
    }
  }
}

}  // namespace
}  // namespace canvaslab
