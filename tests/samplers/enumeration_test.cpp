// What samplers really generate: rules whose error is known to be nothing, or to fall as one over the number
// of steps, on exact denoisers; and the enumeration itself against drawing.
#include "samplers/enumeration.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/random/counter_random.h"
#include "samplers/block_sampler.h"
#include "tests/complaint.h"
#include "tests/models/exact/random_models.h"
#include "tests/options.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

struct Setting {
  std::string noise = "{name: masked}", selection = "{name: ancestral}",
              temperature = "{name: constant, value: 1.0}";
  ExactSettings exact;
  int symbols = 3;

  template <class Use>
  auto with(const std::shared_ptr<const JointModel>& model, Use use) const {
    const ExactDenoiser denoiser(model, exact);
    const auto process = build<NoiseProcess>(noise);
    const auto survival = build<NoiseSchedule>("{name: linear}");
    const auto schedule = build<TemperatureSchedule>(temperature);
    const auto rule = build<SelectionRule>(selection);
    const auto criterion = build<StoppingCriterion>("{name: max_steps}");
    Vocabulary vocabulary{.size = denoiser.vocabulary(), .mask = {}, .padding = {}, .end = {}};
    if (exact.corruption == Corruption::kMasked) vocabulary.mask = static_cast<TokenId>(model->symbols());
    const Rules rules{*process, *survival, *schedule, *rule, *criterion, vocabulary};
    return use(denoiser, rules);
  }

  double error(const std::shared_ptr<const JointModel>& model, int steps) const {
    return with(model, [&](const ExactDenoiser& denoiser, const Rules& rules) {
      return total_variation(enumerate(denoiser, rules, steps), *model);
    });
  }
};

Setting uniform(const std::string& selection, ExactSettings exact = {}) {
  exact.corruption = Corruption::kUniform;
  Setting setting;
  setting.noise = "{name: uniform}", setting.selection = selection, setting.exact = exact;
  return setting;
}

std::shared_ptr<const JointModel> strong_chain(int length) {
  return std::make_shared<MarkovModel>(3, 1, length, std::vector<double>{5, 3, 2},
                                       std::vector<double>{8, 1, 1, 1, 7, 2, 2, 2, 6});
}

// Slope of log error over log steps.
double slope(const Setting& setting, const std::shared_ptr<const JointModel>& model,
             const std::vector<int>& steps) {
  double mean_x = 0, mean_y = 0, xy = 0, xx = 0;
  std::vector<std::pair<double, double>> points;
  for (const int n : steps) points.emplace_back(std::log(n), std::log(setting.error(model, n)));
  for (const auto& [x, y] : points)
    mean_x += x / static_cast<double>(points.size()), mean_y += y / static_cast<double>(points.size());
  for (const auto& [x, y] : points) xy += (x - mean_x) * (y - mean_y), xx += (x - mean_x) * (x - mean_x);
  return xy / xx;
}

// One position at a time, chosen without a look at the draw, is the chain rule: no error at all.
TEST(TrueError, OnePositionAtATimeIsExact) {
  std::mt19937 random(1);
  const std::vector<std::shared_ptr<const JointModel>> models{
      strong_chain(4), std::make_shared<TableModel>(random_table(3, 4, random)),
      std::make_shared<HiddenMarkovModel>(random_hidden_chain(3, 2, 4, random))};
  for (const char* rule : {"{name: entropy_bound, bound: 0}", "{name: confidence_threshold, threshold: 2}"}) {
    for (const auto& model : models) {
      Setting setting;
      setting.selection = rule;
      EXPECT_LT(setting.error(model, 4), 1e-9) << rule;
    }
  }
}

// Every position at once: the product of the marginals, whatever the rule is called.
TEST(TrueError, AllPositionsAtOnceIsTheProductOfMarginals) {
  const auto model = strong_chain(3);
  Setting setting;
  setting.selection = "{name: confidence_threshold, threshold: 0}";
  const std::vector<double> marginals = model->posterior(std::vector<double>(9, 1.0)).marginals;
  double expected = 0;
  for (const std::vector<TokenId>& x : all_sequences(3, 3)) {
    double product = 1;
    for (size_t i = 0; i < 3; ++i) product *= marginals[i * 3 + static_cast<size_t>(x[i])];
    expected += std::abs(product - std::exp(model->log_probability(x))) / 2;
  }
  EXPECT_NEAR(setting.error(model, 1), expected, 1e-12);
  EXPECT_GT(expected, 0.1);
}

// The sampled token's probability decides: likely draws are committed first, so they come too often.
TEST(TrueError, ChoosingByTheDrawIsNotExact) {
  Setting setting;
  setting.selection = "{name: confidence_threshold, threshold: 2, confidence: sampled}";
  const double error = setting.error(strong_chain(3), 3);
  std::cout << fmt::format("  the most probable draw first: total variation {:.4f}\n", error);
  EXPECT_GT(error, 0.01);
}

TEST(TrueError, MaskedAncestralFallsAsOneOverTheSteps) {
  const double measured = slope({}, strong_chain(3), {16, 32, 64, 128, 256, 512, 1024});
  std::cout << fmt::format("  masked ancestral: slope {:.4f}\n", measured);
  EXPECT_NEAR(measured, -1, 0.1);
}

TEST(TrueError, UniformAncestralFallsAsOneOverTheSteps) {
  const double measured = slope(uniform("{name: ancestral}"), strong_chain(2), {64, 128, 256, 512, 1024});
  std::cout << fmt::format("  uniform ancestral, full posterior: slope {:.4f}\n", measured);
  EXPECT_NEAR(measured, -1, 0.1);
}

// A denoiser that gives leave-one-out predictions is converted by the loop and by the enumeration alike.
TEST(TrueError, LeaveOneOutPredictionsAreConverted) {
  const Setting full = uniform("{name: ancestral}"),
                left_out = uniform("{name: ancestral}", {.leave_one_out = true});
  for (const int steps : {4, 64})
    EXPECT_NEAR(full.error(strong_chain(2), steps), left_out.error(strong_chain(2), steps), 1e-6);
}

// Known t against a network that is not told: the error does not vanish.
TEST(TrueError, NotKnowingTheTimeCosts) {
  const double told = uniform("{name: ancestral}").error(strong_chain(2), 256);
  const double blind =
      uniform("{name: ancestral}", {.noise_level = NoiseLevel::kMarginal}).error(strong_chain(2), 256);
  std::cout << fmt::format("  uniform ancestral, 256 steps: told the time {:.5f}, not told {:.5f}\n", told,
                           blind);
  EXPECT_GT(blind, 10 * told);
}

// One position a step: after fewer steps than positions, masks are left.
Setting one_a_step() {
  Setting setting;
  setting.selection = "{name: confidence_threshold, threshold: 2}";
  return setting;
}

// The enumeration against the loop itself: frequencies of 50,000 samples.
TEST(TrueError, TheLawIsWhatTheLoopDraws) {
  const auto model = strong_chain(3);
  const std::vector<Setting> settings{[] {
                                        Setting masked;
                                        masked.temperature = "{name: constant, value: 0.7}";
                                        return masked;
                                      }(),
                                      one_a_step(), uniform("{name: entropy_bound, bound: 0.5}"),
                                      uniform("{name: ancestral}")};
  for (const Setting& setting : settings) {
    setting.with(model, [&](const ExactDenoiser& denoiser, const Rules& rules) {
      constexpr int kSamples = 50000;
      SamplerConfig config;
      config.steps = 2, config.batch = 1024, config.committed = Committed::kCanvas;
      CounterRandom random(7);
      std::vector<SampleRequest> requests(kSamples);
      for (size_t i = 0; i < requests.size(); ++i) requests[i].sample = i;
      SampleObserver nobody;
      const CanvasLaw law = enumerate(denoiser, rules, 2);
      std::vector<int> counts(law.probabilities().size());
      for (const SampleResult& result :
           BlockSampler(denoiser, rules, random, config, 3).run(requests, nobody))
        ++counts[law.number(result.tokens)];
      double chi = 0;
      int cells = 0;
      for (size_t n = 0; n < counts.size(); ++n) {
        const double expected = law.probabilities()[n] * kSamples;
        if (expected == 0) {
          EXPECT_EQ(counts[n], 0);
        } else {
          chi += (counts[n] - expected) * (counts[n] - expected) / expected;
          ++cells;
        }
      }
      EXPECT_GE(cells, 9);
      EXPECT_LT(chi, cells - 1 + 5 * std::sqrt(2.0 * (cells - 1))) << setting.selection;
      return 0;
    });
  }
}

TEST(TrueError, LawsSumToOneAndDivergencesAgree) {
  Setting setting;
  setting.selection = "{name: entropy_bound, bound: 1.0}";
  const auto model = strong_chain(3);
  setting.with(model, [&](const ExactDenoiser& denoiser, const Rules& rules) {
    const CanvasLaw law = enumerate(denoiser, rules, 3);
    double sum = 0, expected = 0;
    for (const double p : law.probabilities()) sum += p;
    EXPECT_NEAR(sum, 1, 1e-12);
    for (const std::vector<TokenId>& x : all_sequences(3, 3)) {
      const double truth = std::exp(model->log_probability(x));
      expected += truth * std::log(truth / law.of(x));
    }
    EXPECT_NEAR(divergence(law, *model), expected, 1e-12);
    EXPECT_GT(expected, 1e-3);
    return 0;
  });
}

TEST(TrueError, WhatCannotBeEnumeratedIsRefused) {
  EXPECT_THAT(complaint([] { Setting().error(strong_chain(12), 2); }), HasSubstr("at most 1000000"));
  EXPECT_THROW(uniform("{name: leave_one_out_corrector}").error(strong_chain(2), 2), Error);
}

}  // namespace
}  // namespace canvaslab
