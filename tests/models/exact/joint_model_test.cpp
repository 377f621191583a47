// The joint models against sums over every sequence (and every hidden path), with random parameters.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "models/exact/probabilities.h"
#include "tests/complaint.h"
#include "tests/models/exact/random_models.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

// p of every sequence, by the definition.
using Law = std::vector<double>;

Law law_of_chain(int symbols, int order, int length, std::vector<double> initial,
                 std::vector<double> transition) {
  const auto width = static_cast<size_t>(symbols);
  double sum = 0;
  for (const double value : initial) sum += value;
  for (double& value : initial) value /= sum;
  for (size_t row = 0; row < transition.size(); row += width) {
    sum = 0;
    for (size_t v = 0; v < width; ++v) sum += transition[row + v];
    for (size_t v = 0; v < width; ++v) transition[row + v] /= sum;
  }
  Law law;
  for (const std::vector<TokenId>& x : all_sequences(symbols, length)) {
    const auto context = [&](size_t end) {
      size_t number = 0;
      for (size_t i = end - static_cast<size_t>(order); i < end; ++i)
        number = number * width + static_cast<size_t>(x[i]);
      return number;
    };
    double p = initial[context(static_cast<size_t>(order))];
    for (size_t i = static_cast<size_t>(order); i < x.size(); ++i)
      p *= transition[context(i) * width + static_cast<size_t>(x[i])];
    law.push_back(p);
  }
  return law;
}

// Whatever the model says, against sums over the law.
void expect_agrees(const JointModel& model, const Law& law, std::mt19937& random) {
  const auto width = static_cast<size_t>(model.symbols());
  const auto sequences = all_sequences(model.symbols(), model.length());
  double entropy = 0;
  for (size_t n = 0; n < sequences.size(); ++n) {
    EXPECT_NEAR(std::exp(model.log_probability(sequences[n])), law[n], 1e-12);
    entropy -= law[n] * std::log(law[n]);
  }
  if (model.entropy()) {
    EXPECT_NEAR(*model.entropy(), entropy, 1e-10);
  }
  for (int trial = 0; trial < 5; ++trial) {
    std::vector<double> evidence = random_values(static_cast<size_t>(model.length()) * width, random);
    for (double& value : evidence)
      if (random() % 5 == 0) value = 0;
    std::vector<double> marginals(evidence.size(), 0.0);
    double total = 0;
    for (size_t n = 0; n < sequences.size(); ++n) {
      double mass = law[n];
      for (size_t i = 0; i < sequences[n].size(); ++i)
        mass *= evidence[i * width + static_cast<size_t>(sequences[n][i])];
      total += mass;
      for (size_t i = 0; i < sequences[n].size(); ++i)
        marginals[i * width + static_cast<size_t>(sequences[n][i])] += mass;
    }
    const Posterior posterior = model.posterior(evidence);
    if (total == 0) {
      EXPECT_EQ(posterior.log_evidence, kImpossible);
      continue;
    }
    EXPECT_NEAR(posterior.log_evidence, std::log(total), 1e-10);
    for (size_t k = 0; k < marginals.size(); ++k)
      EXPECT_NEAR(posterior.marginals[k], marginals[k] / total, 1e-12) << k;
  }
}

TEST(JointModel, MarkovChainsAgreeWithTheirDefinition) {
  std::mt19937 random(1);
  for (const auto& [symbols, order, length] : {std::tuple{2, 1, 1},
                                               {2, 1, 6},
                                               {3, 1, 4},
                                               {3, 2, 2},
                                               {3, 2, 5},
                                               {2, 3, 3},
                                               {2, 3, 7},
                                               {4, 2, 4},
                                               {1, 1, 3}}) {
    SCOPED_TRACE(fmt::format("{} symbols, order {}, length {}", symbols, order, length));
    const size_t width = static_cast<size_t>(symbols), contexts = power(width, order);
    const std::vector<double> initial = random_values(contexts, random),
                              transition = random_values(contexts * width, random);
    expect_agrees(MarkovModel(symbols, order, length, initial, transition),
                  law_of_chain(symbols, order, length, initial, transition), random);
  }
}

TEST(JointModel, HiddenMarkovModelsAgreeWithTheSumOverPaths) {
  std::mt19937 random(2);
  for (const auto& [symbols, states, length] : {std::tuple{2, 2, 1}, {2, 3, 4}, {3, 2, 4}, {4, 1, 3}}) {
    const auto s = static_cast<size_t>(states), k = static_cast<size_t>(symbols);
    std::vector<double> initial = random_values(s, random), transition = random_values(s * s, random),
                        emission = random_values(s * k, random);
    normalise(initial);
    normalise_rows(transition, s, "");
    normalise_rows(emission, k, "");
    Law law;
    for (const std::vector<TokenId>& x : all_sequences(symbols, length)) {
      double sum = 0;
      for (const std::vector<TokenId>& path : all_sequences(states, length)) {
        double p = initial[static_cast<size_t>(path[0])];
        for (size_t i = 0; i < x.size(); ++i) {
          if (i > 0) p *= transition[static_cast<size_t>(path[i - 1]) * s + static_cast<size_t>(path[i])];
          p *= emission[static_cast<size_t>(path[i]) * k + static_cast<size_t>(x[i])];
        }
        sum += p;
      }
      law.push_back(sum);
    }
    expect_agrees(HiddenMarkovModel(symbols, length, initial, transition, emission), law, random);
  }
}

TEST(JointModel, TablesAgreeWithTheirRows) {
  std::mt19937 random(3);
  for (const auto& [symbols, length] : {std::pair{2, 1}, {3, 3}, {4, 2}}) {
    Law weights;
    std::vector<TableModel::Row> rows;
    double sum = 0;
    for (const std::vector<TokenId>& sequence : all_sequences(symbols, length)) {
      weights.push_back(random_values(1, random)[0]);
      rows.insert(rows.begin(), {sequence, weights.back()});  // the order of rows does not matter
      sum += weights.back();
    }
    for (double& weight : weights) weight /= sum;
    expect_agrees(TableModel(symbols, rows), weights, random);
  }
}

TEST(JointModel, WhatIsImpossibleIsSaidToBe) {
  const TableModel table(3, {{{0, 1}, 1}, {{1, 2}, 3}});
  EXPECT_EQ(table.log_probability(std::vector<TokenId>{0, 2}), kImpossible);
  EXPECT_NEAR(table.log_probability(std::vector<TokenId>{1, 2}), std::log(0.75), 1e-12);
  const Posterior none = table.posterior(seen_evidence(std::vector<TokenId>{0, 2}, 3));
  EXPECT_EQ(none.log_evidence, kImpossible);
  EXPECT_THAT(none.marginals, ::testing::Each(0));
  const MarkovModel chain(2, 1, 3, {1, 0}, {0, 1, 1, 0});  // 0 1 0 and nothing else
  EXPECT_NEAR(chain.log_probability(std::vector<TokenId>{0, 1, 0}), 0, 1e-12);
  EXPECT_EQ(chain.posterior(seen_evidence(std::vector<TokenId>{0, 0, 2}, 2)).log_evidence, kImpossible);
}

TEST(JointModel, LongChainsDoNotUnderflow) {
  std::mt19937 random(4);
  const MarkovModel chain = random_chain(8, 2, 2000, random);
  std::vector<TokenId> sequence(2000);
  for (TokenId& symbol : sequence) symbol = static_cast<TokenId>(random() % 8);
  const Posterior posterior = chain.posterior(seen_evidence(sequence, 8));
  EXPECT_NEAR(posterior.log_evidence, chain.log_probability(sequence), 1e-8);
  EXPECT_LT(posterior.log_evidence, -2000);
}

TEST(JointModel, ParametersThatDoNotFitAreRefused) {
  EXPECT_THAT(complaint([] { MarkovModel(2, 1, 3, {1, 1}, {1, 1, 1}); }), HasSubstr("expected 2 and 4"));
  EXPECT_THAT(complaint([] { MarkovModel(2, 1, 3, {1, 1}, {1, 1, 0, 0}); }), HasSubstr("row 1 is all 0"));
  EXPECT_THAT(complaint([] { MarkovModel(2, 1, 3, {1, -1}, {1, 1, 1, 1}); }), HasSubstr("holds -1"));
  EXPECT_THAT(complaint([] { MarkovModel(2, 3, 2, std::vector<double>(8, 1), std::vector<double>(16, 1)); }),
              HasSubstr("2 positions"));
  EXPECT_THAT(complaint([] { MarkovModel(2, 30, 40, {}, {}); }), HasSubstr("order 30"));
  EXPECT_THAT(complaint([] {
                HiddenMarkovModel(2, 3, {1, 1}, {1, 1, 1, 1}, {1, 1});
              }),
              HasSubstr("expected 4 and 4"));
  EXPECT_THAT(complaint([] { TableModel(2, {}); }), HasSubstr("empty"));
  EXPECT_THAT(complaint([] { TableModel(2, {{{0, 2}, 1}}); }), HasSubstr("symbol 2"));
  EXPECT_THAT(complaint([] {
                TableModel(2, {{{0, 1}, 1}, {{0}, 1}});
              }),
              HasSubstr("of 2 symbols and one of 1"));
  EXPECT_THAT(complaint([] { TableModel(2, {{{0, 1}, 0}}); }), HasSubstr("weight 0"));
  EXPECT_THAT(complaint([] { TableModel(2, {{{0, 1}, 1}, {{0, 1}, 1}}); }), HasSubstr("twice"));
}

}  // namespace
}  // namespace canvaslab
