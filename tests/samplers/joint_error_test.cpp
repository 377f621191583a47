// The divergence along true paths against the enumerated one, and the entropy bound's own promise.
#include "samplers/joint_error.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/random/counter_random.h"
#include "samplers/enumeration.h"
#include "tests/complaint.h"
#include "tests/models/exact/random_models.h"
#include "tests/options.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

struct Judge {
  std::shared_ptr<const JointModel> model;
  std::string selection, temperature = "{name: constant, value: 1.0}", stopping = "{name: max_steps}";

  template <class Use>
  auto with(Use use) const {
    const ExactDenoiser denoiser(model, {});
    const auto process = build<NoiseProcess>("{name: masked}");
    const auto survival = build<NoiseSchedule>("{name: linear}");
    const auto schedule = build<TemperatureSchedule>(temperature);
    const auto rule = build<SelectionRule>(selection);
    const auto criterion = build<StoppingCriterion>(stopping);
    const Vocabulary vocabulary{.size = denoiser.vocabulary(),
                                .mask = static_cast<TokenId>(model->symbols()),
                                .padding = {},
                                .end = {}};
    return use(denoiser, Rules{*process, *survival, *schedule, *rule, *criterion, vocabulary});
  }

  JointError of(const std::vector<TokenId>& truth, int steps, std::uint64_t seed = 1) const {
    return with([&](const ExactDenoiser& denoiser, const Rules& rules) {
      CounterRandom random(seed);
      return joint_error(denoiser, rules, steps, truth, random, 0);
    });
  }

  // The mean over all sequences, each with its true probability.
  double expected(int steps) const {
    double sum = 0;
    for (const std::vector<TokenId>& x : all_sequences(model->symbols(), model->length())) {
      const double p = std::exp(model->log_probability(x));
      if (p > 0) sum += p * of(x, steps).total();
    }
    return sum;
  }

  double enumerated(int steps) const {
    return with([&](const ExactDenoiser& denoiser, const Rules& rules) {
      return divergence(enumerate(denoiser, rules, steps), *model);
    });
  }
};

std::shared_ptr<const JointModel> chain(int length) {
  return std::make_shared<MarkovModel>(3, 1, length, std::vector<double>{5, 3, 2},
                                       std::vector<double>{8, 1, 1, 1, 7, 2, 2, 2, 6});
}

TEST(JointError, ItsMeanIsTheEnumeratedDivergence) {
  std::mt19937 random(1);
  const std::vector<std::shared_ptr<const JointModel>> models{
      chain(4), std::make_shared<TableModel>(random_table(3, 3, random)),
      std::make_shared<HiddenMarkovModel>(random_hidden_chain(3, 2, 4, random))};
  double largest = 0;
  for (const auto& model : models) {
    for (const char* rule :
         {"{name: entropy_bound, bound: 0.0}", "{name: entropy_bound, bound: 0.6}",
          "{name: entropy_bound, bound: 1.5}", "{name: confidence_threshold, threshold: 0.0}",
          "{name: confidence_threshold, threshold: 0.6}"}) {
      const Judge judge{model, rule};
      const double mean = judge.expected(4);
      EXPECT_NEAR(mean, judge.enumerated(4), 1e-9) << rule;
      largest = std::max(largest, mean);
    }
  }
  EXPECT_GT(largest, 0.05);
}

TEST(JointError, TemperatureIsPartOfIt) {
  const Judge judge{chain(4), "{name: entropy_bound, bound: 0.6}", "{name: constant, value: 0.6}"};
  EXPECT_NEAR(judge.expected(4), judge.enumerated(4), 1e-9);
  EXPECT_GT(judge.expected(4), Judge({chain(4), "{name: entropy_bound, bound: 0.6}"}).expected(4));
}

TEST(JointError, OnePositionAtATimeHasNone) {
  const Judge judge{chain(5), "{name: entropy_bound, bound: 0.0}"};
  for (const std::vector<TokenId>& x : all_sequences(3, 5)) {
    const JointError error = judge.of(x, 5);
    EXPECT_EQ(error.steps.size(), 5U);
    EXPECT_NEAR(error.total(), 0, 1e-12);
    EXPECT_NEAR(error.bound(), 0, 1e-6);
  }
}

// Where fewer steps than positions are taken the rest is the most probable: some sequences never come.
TEST(JointError, WhatIsLeftTakesTheMostProbableToken) {
  const Judge judge{chain(3), "{name: confidence_threshold, threshold: 2}"};
  int possible = 0;
  for (const std::vector<TokenId>& x : all_sequences(3, 3))
    possible += std::isfinite(judge.of(x, 2).total()) ? 1 : 0;
  EXPECT_EQ(possible, 9);  // two positions drawn, one follows
  EXPECT_TRUE(std::isinf(judge.expected(2)));
  EXPECT_TRUE(std::isinf(judge.enumerated(2)));
}

// The recommended rule's claim: a step's total correlation, the mean of its errors over the sequences that
// share what is visible, is at most the revealed entropies without the largest. On the first step all do.
TEST(JointError, ATotalCorrelationIsAtMostTheEntropiesWithoutTheLargest) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 20; ++trial) {
    const auto table = std::make_shared<TableModel>(random_table(3, 4, random));
    const Judge judge{table, fmt::format("{{name: entropy_bound, bound: {}}}", 0.3 * trial)};
    double correlation = 0, bound = 0;
    for (const std::vector<TokenId>& x : all_sequences(3, 4)) {
      const JointErrorStep first = judge.of(x, 4).steps.at(0);
      correlation += std::exp(table->log_probability(x)) * first.error;
      bound = first.bound;
    }
    EXPECT_LE(correlation, bound + 1e-12);
    EXPECT_GE(correlation, -1e-12);
    EXPECT_LE(bound, 0.3 * trial + 1e-6);
  }
}

// At a length that nothing can enumerate: an unbiased mean, from drawn sequences.
TEST(JointError, SampledPathsAgreeWithTheWholeMean) {
  const auto model = chain(6);
  const Judge judge{model, "{name: entropy_bound, bound: 1.2}"};
  const double whole = judge.expected(6);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform;
  double sum = 0, squares = 0;
  constexpr int kSamples = 4000;
  for (int i = 0; i < kSamples; ++i) {
    std::vector<double> uniforms(6);
    for (double& u : uniforms) u = uniform(random);
    const double error = judge.of(draw_sequence(*model, uniforms), 6).total();
    sum += error, squares += error * error;
  }
  const double mean = sum / kSamples, deviation = std::sqrt((squares / kSamples - mean * mean) / kSamples);
  EXPECT_NEAR(mean, whole, 5 * deviation);
  EXPECT_GT(whole, 10 * deviation);
}

// Canvas and path together are at least as far from the truth as the canvas alone.
TEST(JointError, OfRandomChoicesItIsAnUpperBound) {
  for (const char* rule : {"{name: ancestral}", "{name: random_quota}"}) {
    const Judge judge{chain(4), rule};
    double sum = 0;
    constexpr int kSeeds = 40;
    for (const std::vector<TokenId>& x : all_sequences(3, 4)) {
      const double p = std::exp(judge.model->log_probability(x));
      for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const JointError error = judge.of(x, 3, seed);
        EXPECT_TRUE(error.random);
        sum += p * error.total() / kSeeds;
      }
    }
    const double truth = judge.enumerated(3);
    EXPECT_GT(sum, truth) << rule;
    EXPECT_GT(truth, 0.01) << rule;
  }
  EXPECT_FALSE(Judge({chain(4), "{name: entropy_bound}"}).of({0, 1, 2, 0}, 4).random);
}

// Its sum would be 0, and the enumerated law is far from the truth.
TEST(JointError, ARuleThatLooksAtTheDrawHasNone) {
  const Judge judge{chain(3), "{name: low_confidence}"};
  EXPECT_THAT(complaint([&] { judge.of({0, 1, 2}, 3); }), HasSubstr("nor looks at what was sampled"));
  EXPECT_GT(judge.enumerated(3), 0.1);
}

TEST(JointError, ARuleThatEditsHasNone) {
  const Judge judge{chain(3), "{name: block_refinement, editing_threshold: 0.9}"};
  EXPECT_THAT(complaint([&] { judge.of({0, 1, 2}, 3); }), HasSubstr("neither edits"));
}

}  // namespace
}  // namespace canvaslab
