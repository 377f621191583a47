// Dream's entropy rule: how many positions, which, and the law of a randomised choice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/samplers/selection/canvas_walk.h"
#include "tests/samplers/selection/exact_error.h"

namespace canvaslab {
namespace {

using ::testing::ElementsAre;

std::string rule_of(const std::string& settings) {
  return "{name: entropy_quota, " + settings + "}";
}

std::string decide(Walk& walk, const std::string& settings = "position_temperature: 0") {
  return walk.positions.decide(*build<SelectionRule>(rule_of(settings)));
}

// With the linear schedule 1 - s / t = 1 / (steps left).
TEST(EntropyQuota, CommitsTheShareOfTheSchedule) {
  EXPECT_THAT(commits_by_step("{name: entropy_quota}", "masked", 10, 4), ElementsAre(2, 2, 3, 3));
  EXPECT_THAT(commits_by_step("{name: entropy_quota}", "masked", 3, 5), ElementsAre(0, 0, 1, 1, 1));
  for (int length = 1; length <= 15; ++length) {
    for (int steps = 1; steps <= 12; ++steps) {
      std::vector<int> expected;
      for (int left = steps, open = length; left > 0; open -= expected.back(), --left)
        expected.push_back(open / left);
      EXPECT_EQ(commits_by_step("{name: entropy_quota}", "masked", static_cast<size_t>(length), steps),
                expected)
          << length << " positions, " << steps << " steps";
    }
  }
}

TEST(EntropyQuota, TheNoiseScheduleDecidesHowMany) {
  Walk walk("masked", 8, 10);
  walk.positions.survival = {0.0, 0.5};
  EXPECT_EQ(committed(decide(walk)), 4);
  walk.positions.survival = {0.2, 0.6};  // half of the noise goes
  EXPECT_EQ(committed(decide(walk)), 4);
  walk.positions.survival = {0.2, 0.5};  // 3/8 of it
  EXPECT_EQ(committed(decide(walk)), 3);
  walk.positions.survival = {0.2, 0.2};
  EXPECT_EQ(committed(decide(walk)), 0);
  walk.positions.survival = {1, 1};
  EXPECT_EQ(committed(decide(walk)), 8);
}

TEST(EntropyQuota, WhereCommitsStayOpenTheShareThatIsCleanIsCommitted) {
  EXPECT_THAT(commits_by_step("{name: entropy_quota}", "uniform", 10, 4), ElementsAre(2, 5, 7, 10));
}

TEST(EntropyQuota, CommitsTheLowestEntropies) {
  Walk walk("masked", 6, 10);
  walk.positions.survival = {0, 0.5};
  walk.positions.prediction.entropy = {0.5F, 0.25F, 2.0F, 0.5F, 0.125F, 0.5F};
  EXPECT_EQ(decide(walk), "ssrrsr");  // equal ones: by position
}

TEST(EntropyQuota, AtTemperatureZeroThePlainProbabilityRanks) {
  Walk walk("masked", 4, 10);
  walk.positions.survival = {0, 0.5};
  walk.positions.prediction.entropy = {0, 0, 0, 0};
  walk.positions.prediction.raw_sampled_probability = {0.25F, 0.75F, 0.5F, 0.875F};
  EXPECT_EQ(decide(walk), "ssrr");
  walk.positions.temperature = 0;
  EXPECT_EQ(decide(walk), "rsrs");
  walk.positions.prediction.raw_sampled_probability = {0, 0, 0, 0};
  EXPECT_EQ(decide(walk), "ssrr");
}

// Drawn without replacement: P(first i, then j) = w_i w_j / (1 - w_i) with w = softmax(-H / tau).
TEST(EntropyQuota, APositionTemperatureDrawsWithItsWeights) {
  const std::vector<float> entropy{0.0F, 0.5F, 1.0F, 2.0F};
  for (const double tau : {0.5, 2.0}) {
    std::vector<double> w;
    double sum = 0;
    for (const float h : entropy) sum += std::exp(-h / tau);
    for (const float h : entropy) w.push_back(std::exp(-h / tau) / sum);
    std::map<std::string, int> seen;
    std::mt19937 random(9);
    const auto rule = build<SelectionRule>(rule_of(fmt::format("position_temperature: {}", tau)));
    Walk start("masked", 4, 2);
    start.positions.survival = {0, 0.5};
    start.positions.prediction.entropy = entropy;
    const auto law = law_of(*rule, start.positions);
    EXPECT_EQ(law.size(), 6U);
    constexpr int kTrials = 20000;
    for (int trial = 0; trial < kTrials; ++trial) {
      Walk walk("masked", 4, 2);
      randomize(walk.positions, random);
      walk.positions.prediction.entropy = entropy;
      ++seen[walk.step(*rule)];
    }
    for (size_t i = 0; i < 4; ++i) {
      for (size_t j = i + 1; j < 4; ++j) {
        const double expected = w[i] * w[j] * (1 / (1 - w[i]) + 1 / (1 - w[j]));
        std::string letters = "rrrr";
        letters[i] = letters[j] = 's';
        EXPECT_NEAR(law.at(letters), expected, 1e-7);
        EXPECT_NEAR(static_cast<double>(seen[letters]) / kTrials, expected, 0.018) << letters << tau;
      }
    }
  }
}

TEST(EntropyQuota, WithoutAPositionTemperatureThereIsOneOutcome) {
  Walk walk("masked", 4, 2);
  walk.positions.survival = {0, 0.5};
  walk.positions.prediction.entropy = {0.5F, 0.25F, 2.0F, 0.125F};
  EXPECT_EQ(law_of(*build<SelectionRule>("{name: entropy_quota}"), walk.positions),
            (std::map<std::string, double>{{"rsrs", 1.0}}));
}

// A uniform number of exactly 0 is no infinite noise: it can be overcome.
TEST(EntropyQuota, NoUniformNumberDecidesAlone) {
  Walk walk("masked", 2, 2);
  walk.positions.survival = {0, 0.5};
  walk.positions.prediction.entropy = {0, 200};
  walk.positions.draws.values = {{0.0, 0.999}};
  EXPECT_EQ(decide(walk, "position_temperature: 1"), "sr");
}

// Whatever the weights of the choice, one at a time is exact as long as they do not see the draw.
TEST(EntropyQuota, OneAtATimeGeneratesTheModelsOwnLaw) {
  EXPECT_LT(error_with_masks("{name: entropy_quota}", 4), 1e-6);
  EXPECT_LT(error_with_masks(rule_of("position_temperature: 0.5"), 4), 1e-6);
}

TEST(EntropyQuota, EveryCanvasIsFinished) {
  expect_done_after_the_last_step("{name: entropy_quota}");
  expect_done_after_the_last_step(rule_of("position_temperature: 0.7"));
}

TEST(EntropyQuota, OnlyUndecidedPositionsAreDecided) {
  expect_decided_positions_untouched("{name: entropy_quota}");
}

TEST(EntropyQuota, RefusesBadSettings) {
  for (const char* bad : {"position_temperature: -1", "position_temperature: .nan",
                          "position_temperature: null", "alg_temp: 1"})
    EXPECT_NE(refusal<SelectionRule>(rule_of(bad)), "accepted") << bad;
}

}  // namespace
}  // namespace canvaslab
