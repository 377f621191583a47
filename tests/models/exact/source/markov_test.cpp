// The option `model: markov`: its chain is the one that was written out, counted or drawn, and stationary.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "models/exact/exact_denoiser.h"
#include "models/model_source.h"
#include "tests/complaint.h"
#include "tests/options.h"
#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

Model load(const std::string& settings) {
  return build<ModelSource>("{name: markov, " + settings + "}")->load();
}

std::vector<double> marginals(const Model& model) {
  const JointModel& joint = model.exact->model();
  return joint.posterior(std::vector<double>(static_cast<size_t>(joint.length() * joint.symbols()), 1.0))
      .marginals;
}

TEST(MarkovSource, WrittenOutRowsAreTheChainAndItIsStationary) {
  const Model model =
      load("symbols: 2, order: 1, length: 5, transition: [9, 1, 4, 6]");  // stationary: 4/5, 1/5
  EXPECT_EQ(model.vocabulary.size, 3);
  EXPECT_EQ(model.vocabulary.mask, 2);
  EXPECT_EQ(model.generation.max_new_tokens, 5);
  const std::vector<double> p = marginals(model);
  for (size_t i = 0; i < 5; ++i) EXPECT_NEAR(p[2 * i], 0.8, 1e-12);
  EXPECT_NEAR(model.exact->model().log_probability(std::vector<TokenId>{0, 0, 1, 1, 0}),
              std::log(0.8 * 0.9 * 0.1 * 0.6 * 0.4), 1e-12);
}

TEST(MarkovSource, AChainThatGoesInCirclesIsStationaryToo) {
  const std::vector<double> p = marginals(load("symbols: 2, order: 1, length: 3, transition: [0, 1, 1, 0]"));
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(p[i], 0.5, 1e-9);
}

TEST(MarkovSource, ATextIsCounted) {
  const TemporaryFolder folder;
  std::ofstream(folder / "text") << "abababac";  // b always before a; a before b three times, before c once
  const Model model =
      load(fmt::format("symbols: 2, order: 1, length: 2, least: 0, file: '{}'", (folder / "text").string()));
  const std::vector<TokenId> ab{0, 1}, aa{0, 0}, ba{1, 0};  // a is the more frequent: symbol 0
  const JointModel& joint = model.exact->model();
  // without c: a b a b a b a: a is followed by b, b by a
  EXPECT_NEAR(std::exp(joint.log_probability(ab)), 0.5, 1e-9);
  EXPECT_NEAR(std::exp(joint.log_probability(ba)), 0.5, 1e-9);
  EXPECT_EQ(std::exp(joint.log_probability(aa)), 0);
}

TEST(MarkovSource, DrawnRowsFollowFromTheSeedAndAreNeverImpossible) {
  const auto values = [](const std::string& more) { return marginals(load("length: 4, " + more)); };
  EXPECT_EQ(values("seed: 3"), values("seed: 3"));
  EXPECT_NE(values("seed: 3"), values("seed: 4"));
  EXPECT_NE(values("seed: 3"), values("seed: 3, sharpness: 1"));
  EXPECT_NE(values("seed: 3"), values("seed: 3, order: 1"));
  const Model model = load("symbols: 3, order: 1, length: 2, least: 0.3");
  for (TokenId a = 0; a < 3; ++a)
    for (TokenId b = 0; b < 3; ++b)
      EXPECT_GT(model.exact->model().log_probability(std::vector<TokenId>{a, b}), std::log(0.01));
}

TEST(MarkovSource, TheTokenizerWritesLetters) {
  const Model masked = load("symbols: 28, order: 1, length: 2");
  EXPECT_EQ(masked.tokenizer->decode(std::vector<TokenId>{0, 25, 26, 27}, true), "azAB");
  EXPECT_EQ(masked.tokenizer->id("<mask>"), 28);
  EXPECT_EQ(masked.tokenizer->encode("bA", true), (std::vector<TokenId>{1, 26}));
  EXPECT_EQ(load("corruption: uniform").tokenizer->size(), 8U);
}

TEST(MarkovSource, WhatDoesNotFitIsRefused) {
  EXPECT_THAT(complaint([] { load("symbols: 2, order: 1, transition: [1, 2, 3]"); }),
              HasSubstr("3 weights, expected 2 rows of 2"));
  EXPECT_THAT(complaint([] { load("symbols: 2, order: 1, transition: [1, 2, 0, 0]"); }), HasSubstr("row 1"));
  EXPECT_THAT(complaint([] { load("file: /nowhere"); }), HasSubstr("'/nowhere' cannot be read"));
  EXPECT_THAT(complaint([] { load("file: /nowhere, transition: [1]"); }), HasSubstr("not both"));
  EXPECT_THAT(complaint([] { load("order: 2, length: 1"); }), HasSubstr("1 positions"));
  const TemporaryFolder folder;
  std::ofstream(folder / "text") << "aaaa";
  EXPECT_THAT(complaint([&] { load(fmt::format("symbols: 2, file: '{}'", (folder / "text").string())); }),
              HasSubstr("1 different bytes"));
}

}  // namespace
}  // namespace canvaslab
