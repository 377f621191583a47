// The option `model: hmm`: drawn from its seed, with every setting felt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/exact/exact_denoiser.h"
#include "models/model_source.h"
#include "tests/options.h"

namespace canvaslab {
namespace {

std::vector<double> marginals(const std::string& settings) {
  const Model model = build<ModelSource>("{name: hmm, " + settings + "}")->load();
  const JointModel& joint = model.exact->model();
  return joint.posterior(std::vector<double>(static_cast<size_t>(joint.length() * joint.symbols()), 1.0))
      .marginals;
}

TEST(HmmSource, FollowsFromItsSettings) {
  const std::vector<double> plain = marginals("length: 3");
  EXPECT_EQ(plain.size(), 24U);
  EXPECT_EQ(marginals("length: 3"), plain);
  for (const char* other : {"seed: 2", "states: 3", "sharpness: 1", "least: 0.5"})
    EXPECT_NE(marginals(std::string("length: 3, ") + other), plain) << other;
  EXPECT_EQ(marginals("length: 2, symbols: 5").size(), 10U);
}

// With one hidden state positions do not depend on each other.
TEST(HmmSource, OneStateIsIndependent) {
  const Model model = build<ModelSource>("{name: hmm, states: 1, symbols: 3, length: 2}")->load();
  const JointModel& joint = model.exact->model();
  const std::vector<double> p = marginals("states: 1, symbols: 3, length: 2");
  for (TokenId a = 0; a < 3; ++a)
    for (TokenId b = 0; b < 3; ++b)
      EXPECT_NEAR(std::exp(joint.log_probability(std::vector<TokenId>{a, b})),
                  p[static_cast<size_t>(a)] * p[3 + static_cast<size_t>(b)], 1e-12);
}

}  // namespace
}  // namespace canvaslab
