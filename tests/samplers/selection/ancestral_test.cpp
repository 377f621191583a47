// Ancestral sampling: routes as drawn, and the share of positions that each takes. The recorded cases of the
// second reference stand in tests/experiments/scheduler_cases_golden_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/options.h"
#include "tests/samplers/loop.h"
#include "tests/samplers/selection/positions.h"

namespace canvaslab {
namespace {

std::string decide(const std::string& noise, Survival survival, const std::vector<double>& draws,
                   const std::vector<TokenId>& canvas, const std::vector<std::uint8_t>& undecided = {}) {
  Positions positions(canvas.size());
  positions.noise = build<NoiseProcess>("{name: " + noise + "}");
  positions.vocabulary = {.size = 4, .mask = 3, .padding = {}, .end = {}};
  positions.survival = survival;
  positions.canvas = canvas;
  positions.prediction.sampled.assign(canvas.size(), 1);
  positions.draws.values = {draws};
  if (!undecided.empty()) positions.undecided = undecided;
  return positions.decide(*build<SelectionRule>("{name: ancestral}"));
}

// alpha 0.5 -> 0.75: a mask stays with probability 0.25 / 0.5, and is revealed below that.
TEST(Ancestral, MaskedPositionsAreRevealedWithTheirProbability) {
  EXPECT_EQ(decide("masked", {0.5, 0.75}, {0.0, 0.499, 0.501, 0.999}, {3, 3, 3, 3}), "ssrr");
  EXPECT_EQ(decide("masked", {0.5, 0.75}, {0.9, 0.1}, {2, 3}, {0, 1}), ".s");
}

// alpha 0.25 -> 0.5, V = 4, token and candidate differ: weights 1/4 : 1/4 : 1/4. Where they agree the
// candidate's weight is 1/4 + 1/4 * 4 = 5/4 of 7/4.
TEST(Ancestral, UniformPositionsTakeOneOfThreeRoutes) {
  EXPECT_EQ(decide("uniform", {0.25, 0.5}, {0.3, 0.4, 0.6, 0.7}, {0, 0, 0, 0}), "skkr");
  EXPECT_EQ(decide("uniform", {0.25, 0.5}, {0.71, 0.72, 0.85, 0.86}, {1, 1, 1, 1}), "skkr");
}

TEST(Ancestral, TheLastStepTakesTheCandidates) {
  EXPECT_EQ(decide("uniform", {0.9, 1}, {0.0, 0.5, 0.999}, {0, 1, 2}), "sss");
  EXPECT_EQ(decide("masked", {0.9, 1}, {0.0, 0.5, 0.999}, {3, 3, 3}), "sss");
}

// Under masked noise with N steps, N - i of N masks are left before step i on average.
TEST(Ancestral, MasksDisappearLinearly) {
  Loop loop;
  loop.noise = "{name: masked}";
  loop.selection = "{name: ancestral}";
  loop.stopping = "{name: max_steps}";
  loop.config.steps = 4;
  const StubDenoiser denoiser(12, 4, always(5));
  loop.run(denoiser, numbered(600));
  std::vector<double> masks(4);
  for (const SeenStep& seen : loop.seen.steps) {
    for (const TokenId token : seen.record.canvas)
      masks[static_cast<size_t>(seen.record.time.index)] += token == 11 ? 1.0 / 2400 : 0;
  }
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(masks[static_cast<size_t>(i)], (4.0 - i) / 4, 0.04) << i;
  for (const SampleResult& result : loop.seen.samples) EXPECT_THAT(result.tokens, ::testing::Each(5));
}

TEST(Ancestral, RefusesSettingsThatItDoesNotHave) {
  EXPECT_THAT(refusal<SelectionRule>("{name: ancestral, steps: 3}"),
              ::testing::HasSubstr("unknown key 'steps'"));
}

}  // namespace
}  // namespace canvaslab
