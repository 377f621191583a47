// The leave-one-out corrector: which positions it draws again, and from what. The recorded cases of the
// second reference stand in tests/experiments/scheduler_cases_golden_test.cpp.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "tests/options.h"
#include "tests/samplers/loop.h"
#include "tests/samplers/selection/positions.h"

namespace canvaslab {
namespace {

// Three positions, tau 0: position 0's token is the best there is, 1's is improbable beside a clear
// favourite, 2's is a little behind.
std::string decide(const std::string& settings, double alpha = 0.5,
                   const std::vector<double>& coins = {0, 0, 0}) {
  Positions positions(3);
  positions.canvas = {100, 7, 8};
  positions.prediction.confidence = {0.9F, 0.8F, 0.3F};
  positions.prediction.margin = {0.85F, 0.7F, 0.1F};
  positions.prediction.current_probability = {0.9F, 0.01F, 0.25F};
  positions.survival = {alpha, 0.6};
  positions.draws.values = {{0.5, 0.2, 0.9}, coins};
  return positions.decide(*build<SelectionRule>("{name: leave_one_out_corrector, " + settings + "}"));
}

TEST(LeaveOneOutCorrector, ChoosesTheWorst) {
  EXPECT_EQ(decide("positions: 1, tau: 0, choice: log_margin"), "ksk");
  EXPECT_EQ(decide("positions: 2, tau: 0, choice: log_margin"), "kss");
  EXPECT_EQ(decide("positions: 1, tau: 0, choice: maximum"), "kks");
  EXPECT_EQ(decide("positions: 1, tau: 0, choice: current"), "ksk");
  EXPECT_EQ(decide("positions: 1, choice: random"), "kks");
  EXPECT_EQ(decide("positions: 9, tau: 0"), "sss");
}

TEST(LeaveOneOutCorrector, DrawsFromTheConditional) {
  EXPECT_EQ(decide("positions: 3, tau: 0", 0.5, {0.49, 0.51, 0.0}), "srs");
  EXPECT_EQ(decide("positions: 3, tau: 0", 1.0, {0.0, 0.0, 0.0}), "kkk");  // nothing is noise
}

// The Gumbel trick: at tau = 1 a position is chosen with probability proportional to exp(score), which for
// `current` is 1 / c[current].
TEST(LeaveOneOutCorrector, ChoosesWithTheProbabilitiesOfTheScores) {
  Positions positions(2);
  positions.canvas = {5, 6};
  positions.prediction.current_probability = {0.2F, 0.7F};
  positions.survival = {0.5, 0.6};
  const double floor = 0.5 / 300, first = 1 / (0.1 + floor), second = 1 / (0.35 + floor);
  const auto rule = build<SelectionRule>("{name: leave_one_out_corrector, choice: current}");
  CounterRandom random(3);
  int chosen = 0;
  const int trials = 20000;
  for (int trial = 0; trial < trials; ++trial) {
    const StreamKey key{static_cast<std::uint64_t>(trial), 0, 0};
    positions.draws.values = {{random.selection(key, 0, 0), random.selection(key, 1, 0)}, {0, 0}};
    chosen += positions.decide(*rule) == "sk" ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(chosen) / trials, first / (first + second), 0.012);
}

TEST(LeaveOneOutCorrector, ExtremeDrawsStayFinite) {
  Positions positions(2);
  positions.canvas = {5, 6};
  positions.prediction.current_probability = {1e-6F, 0.999F};
  positions.draws.values = {{0.0, std::nextafter(1.0, 0.0)}, {0, 0}};
  const auto rule = build<SelectionRule>("{name: leave_one_out_corrector, choice: current, tau: 0.01}");
  EXPECT_EQ(positions.decide(*rule), "sk");  // the improbable token, whatever the draws
}

// The loop asks for the shifted prediction: from pure noise (no shift) to log(1 + V alpha / (1 - alpha)).
TEST(LeaveOneOutCorrector, TheLoopShiftsTheCurrentToken) {
  const StubDenoiser denoiser(12, 4, [](const StubDenoiser::View&) { return undecided(); });
  Loop loop;
  loop.selection = "{name: leave_one_out_corrector, positions: 4}";
  loop.stopping = "{name: max_steps}";
  loop.config.steps = 4;
  loop.run(denoiser, numbered(1));
  ASSERT_EQ(loop.seen.steps.size(), 4U);
  for (const SeenStep& seen : loop.seen.steps) {
    const double alpha = seen.record.time.index / 4.0, factor = 1 / (1 + 12 * alpha / (1 - alpha));
    for (const float p : seen.record.prediction.current_probability)
      EXPECT_NEAR(p, factor / (factor + 11), 1e-6);
  }
}

TEST(LeaveOneOutCorrector, MaskedNoiseIsRefused) {
  const StubDenoiser denoiser(12, 4, always(3));
  Loop loop;
  loop.noise = "{name: masked}";
  loop.selection = "{name: leave_one_out_corrector}";
  EXPECT_THROW(loop.run(denoiser, numbered(1)), ConfigurationError);
}

TEST(LeaveOneOutCorrector, RefusesBadSettings) {
  for (const char* bad : {"positions: 0", "positions: 1.5", "choice: entropy", "tau: -1"}) {
    EXPECT_NE(refusal<SelectionRule>(fmt::format("{{name: leave_one_out_corrector, {}}}", bad)), "accepted")
        << bad;
  }
}

}  // namespace
}  // namespace canvaslab
