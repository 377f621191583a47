// Exact denoisers against Bayes' rule by brute force, and their statistics against the definitions.
#include "models/exact/exact_denoiser.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "models/exact/quadrature.h"
#include "models/exact/statistics.h"
#include "tests/complaint.h"
#include "tests/models/exact/random_models.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

// p(x_i = v | z), or without z_i, as sums over all sequences of a table; `likelihood(z_i, x_i)`.
template <class Likelihood>
std::vector<double> by_bayes(const TableModel& table, const std::vector<TokenId>& z, bool leave_one_out,
                             Likelihood likelihood) {
  const auto width = static_cast<size_t>(table.symbols());
  std::vector<double> result(z.size() * width, 0.0);
  for (size_t i = 0; i < z.size(); ++i) {
    double total = 0;
    for (const TableModel::Row& row : table.rows()) {
      double mass = row.weight;
      for (size_t j = 0; j < z.size(); ++j)
        if (j != i || !leave_one_out) mass *= likelihood(z[j], row.sequence[j]);
      result[i * width + static_cast<size_t>(row.sequence[i])] += mass;
      total += mass;
    }
    for (size_t v = 0; v < width; ++v) result[i * width + v] /= total;
  }
  return result;
}

TEST(ExactDenoiser, MaskedPredictionsAreBayesRule) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 40; ++trial) {
    const int symbols = 2 + static_cast<int>(random() % 3);
    const auto table = std::make_shared<TableModel>(random_table(symbols, 3, random));
    for (const bool leave_one_out : {false, true}) {
      const ExactDenoiser denoiser(table,
                                   {.corruption = Corruption::kMasked, .leave_one_out = leave_one_out});
      ASSERT_EQ(denoiser.vocabulary(), symbols + 1);
      for (const std::vector<TokenId>& z : all_sequences(symbols + 1, 3)) {
        const std::vector<double> expected = by_bayes(
            *table, z, leave_one_out,
            [&](TokenId seen, TokenId clean) { return seen == symbols || seen == clean ? 1.0 : 0.0; });
        const std::vector<double> mine = denoiser.distribution(z, 0.5);
        for (size_t i = 0; i < 3; ++i) {
          for (size_t v = 0; v < static_cast<size_t>(symbols); ++v)
            EXPECT_NEAR(mine[i * static_cast<size_t>(symbols + 1) + v],
                        expected[i * static_cast<size_t>(symbols) + v], 1e-12);
          EXPECT_EQ(mine[i * static_cast<size_t>(symbols + 1) + static_cast<size_t>(symbols)], 0);
        }
      }
    }
  }
}

TEST(ExactDenoiser, UniformPredictionsAreBayesRuleAtAnyLevelOfNoise) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 40; ++trial) {
    const int symbols = 2 + static_cast<int>(random() % 3);
    const auto table = std::make_shared<TableModel>(random_table(symbols, 3, random));
    for (const double survival : {0.0, 0.3, 0.99, 1.0}) {
      for (const bool leave_one_out : {false, true}) {
        const ExactDenoiser denoiser(table,
                                     {.corruption = Corruption::kUniform, .leave_one_out = leave_one_out});
        for (const std::vector<TokenId>& z : all_sequences(symbols, 3)) {
          const std::vector<double> expected =
              by_bayes(*table, z, leave_one_out, [&](TokenId seen, TokenId clean) {
                return (seen == clean ? survival : 0) + (1 - survival) / symbols;
              });
          EXPECT_THAT(denoiser.distribution(z, survival),
                      ::testing::Pointwise(::testing::DoubleNear(1e-12), expected));
        }
      }
    }
  }
}

// alpha uniform in (0, 1): against a midpoint rule of 20,000 points for p(z | alpha) p(x | z, alpha).
TEST(ExactDenoiser, TheMarginalOverTheTimeIsTheIntegral) {
  std::mt19937 random(3);
  const TableModel table = random_table(3, 3, random);
  for (const bool leave_one_out : {false, true}) {
    const ExactDenoiser denoiser(std::make_shared<TableModel>(table), {.corruption = Corruption::kUniform,
                                                                       .noise_level = NoiseLevel::kMarginal,
                                                                       .leave_one_out = leave_one_out});
    for (const std::vector<TokenId>& z : {std::vector<TokenId>{0, 1, 2}, {1, 1, 1}}) {
      std::vector<double> masses(9, 0.0);
      constexpr int kPoints = 20000;
      for (int n = 0; n < kPoints; ++n) {
        const double alpha = (n + 0.5) / kPoints;
        for (size_t i = 0; i < 3; ++i) {
          for (const TableModel::Row& row : table.rows()) {
            double mass = row.weight;
            for (size_t j = 0; j < 3; ++j)
              if (j != i || !leave_one_out) mass *= (z[j] == row.sequence[j] ? alpha : 0) + (1 - alpha) / 3;
            masses[i * 3 + static_cast<size_t>(row.sequence[i])] += mass;
          }
        }
      }
      const std::vector<double> mine = denoiser.distribution(z, 0.7);
      for (size_t i = 0; i < 3; ++i) {
        const double total = masses[i * 3] + masses[i * 3 + 1] + masses[i * 3 + 2];
        for (size_t v = 0; v < 3; ++v) EXPECT_NEAR(mine[i * 3 + v], masses[i * 3 + v] / total, 1e-8);
      }
    }
  }
}

TEST(ExactDenoiser, ACanvasThatNothingExplainsIsTakenForAlmostRight) {
  const auto table =
      std::make_shared<TableModel>(2, std::vector<TableModel::Row>{{{0, 0, 0}, 1}, {{1, 1, 1}, 1}});
  const ExactDenoiser denoiser(table, {.corruption = Corruption::kMasked, .epsilon = 0.2});
  // 0 0 1: two of three say 0 (0.9 * 0.9 * 0.1), one says 1 (0.1 * 0.1 * 0.9): 9 to 1.
  const std::vector<double> p = denoiser.distribution(std::vector<TokenId>{0, 0, 1}, 0);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(p[i * 3], 0.9, 1e-12);
    EXPECT_NEAR(p[i * 3 + 1], 0.1, 1e-12);
  }
}

TEST(ExactDenoiser, StatisticsFollowTheirDefinitions) {
  const std::vector<double> p{0.5, 0.2, 0.3, 0.0};
  const std::vector<TokenId> canvas{1};
  const std::vector<double> uniforms{0.6};
  RowQuery query{.context = nullptr, .canvas = canvas, .temperature = 1, .uniforms = uniforms, .given = {}};
  Prediction out = statistics_of(p, query, {});
  EXPECT_EQ(out.argmax[0], 0);
  EXPECT_EQ(out.sampled[0], 1);  // 0.5 <= 0.6 < 0.7
  EXPECT_NEAR(out.entropy[0], -(0.5 * std::log(0.5) + 0.2 * std::log(0.2) + 0.3 * std::log(0.3)), 1e-6);
  EXPECT_NEAR(out.confidence[0], 0.5, 1e-7);
  EXPECT_NEAR(out.margin[0], 0.2, 1e-7);
  EXPECT_NEAR(out.current_probability[0], 0.2, 1e-7);
  query.temperature = 0.5;  // squares: 0.25, 0.04, 0.09 over 0.38
  out = statistics_of(p, query, {});
  EXPECT_NEAR(out.confidence[0], 0.25 / 0.38, 1e-6);
  EXPECT_EQ(out.sampled[0], 0);
  query.temperature = 0;
  out = statistics_of(p, query, {});
  EXPECT_EQ(out.confidence[0], 1);
  EXPECT_EQ(out.entropy[0], 0);
  query.temperature = 1;
  query.current_shift = static_cast<float>(std::log(3.0));  // 0.2 becomes 0.6
  EXPECT_NEAR(statistics_of(p, query, {}).current_probability[0], 0.6 / 1.4, 1e-6);
  query.current_shift = 0;
  const std::vector<TokenId> suppressed{0};
  EXPECT_NEAR(statistics_of(p, query, {.suppressed = suppressed, .filter = {}}).confidence[0], 0.6, 1e-6);
  EXPECT_NEAR(statistics_of(p, query, {.suppressed = {}, .filter = {.top_k = 2, .top_p = {}}}).confidence[0],
              0.5 / 0.8, 1e-6);
  EXPECT_NEAR(
      statistics_of(p, query, {.suppressed = {}, .filter = {.top_k = {}, .top_p = 0.5}}).confidence[0], 1,
      1e-6);
}

TEST(ExactDenoiser, WhatItHasNotIsRefused) {
  const ExactDenoiser denoiser(std::make_shared<TableModel>(2, std::vector<TableModel::Row>{{{0, 1}, 1}}),
                               {});
  const std::vector<TokenId> tokens{1};
  const std::vector<Prompt> prompts{{.tokens = tokens}};
  EXPECT_THAT(complaint([&] { denoiser.prefill(prompts); }), HasSubstr("no prompt"));
  EXPECT_THAT(complaint([&] { denoiser.extend({}, {}); }), HasSubstr("one canvas"));
}

TEST(Quadrature, IsExactForPolynomialsUpToTwiceTheCount) {
  for (int count = 1; count <= 40; ++count) {
    for (int degree = 0; degree < 2 * count; ++degree) {
      double sum = 0;
      for (const QuadratureNode& node : gauss_legendre(count))
        sum += node.weight * std::pow(node.place, degree);
      EXPECT_NEAR(sum, 1.0 / (degree + 1), 1e-13) << count << " " << degree;
    }
  }
  double beyond = 0;
  for (const QuadratureNode& node : gauss_legendre(2)) beyond += node.weight * std::pow(node.place, 4);
  EXPECT_GT(std::abs(beyond - 0.2), 1e-3);
}

}  // namespace
}  // namespace canvaslab
