// The posterior routes of the noise processes against Bayes' rule, token by token; and the leave-one-out
// shift against the posterior that it must give.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "samplers/noise/noise_process.h"
#include "tests/options.h"

namespace canvaslab {
namespace {

constexpr TokenId kMask = 3;
const Vocabulary kVocabulary{.size = 4, .mask = kMask, .padding = {}, .end = {}};

// q(z_t = z | z_s = v) when the clean probability falls from `before` to `after`: what survives keeps its
// token, the rest becomes noise.
double transition(const std::string& noise, double before, double after, TokenId v, TokenId z) {
  const double ratio = before > 0 ? after / before : 0;
  const double fresh = noise == "masked" ? (z == kMask ? 1 : 0) : 0.25;
  return (v == z ? ratio : 0) + (1 - ratio) * fresh;
}

// q(z_s = v | z_t = z, x) by Bayes' rule.
std::vector<double> bayes(const std::string& noise, const Survival& survival, TokenId z, TokenId x) {
  std::vector<double> posterior;
  double sum = 0;
  for (TokenId v = 0; v < 4; ++v) {
    posterior.push_back(transition(noise, survival.next, survival.now, v, z) *
                        transition(noise, 1, survival.next, x, v));
    sum += posterior.back();
  }
  for (double& p : posterior) p /= sum;
  return posterior;
}

std::vector<double> by_routes(const std::string& noise, const Survival& survival, TokenId z, TokenId x) {
  const Routes routes = build<NoiseProcess>("{name: " + noise + "}")->routes(z, x, survival, kVocabulary);
  EXPECT_NEAR(routes.commit + routes.keep + routes.renoise, 1, 1e-12);
  std::vector<double> out(4, noise == "masked" ? 0 : routes.renoise / 4);
  if (noise == "masked") out[kMask] += routes.renoise;
  out[static_cast<size_t>(x)] += routes.commit;
  out[static_cast<size_t>(z)] += routes.keep;
  return out;
}

TEST(Routes, AreBayesRule) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(0, 1);
  for (const std::string noise : {"masked", "uniform"}) {
    for (int trial = 0; trial < 200; ++trial) {
      const double a = unit(random), b = unit(random);
      const Survival survival{std::min(a, b), trial % 10 == 0 ? 1.0 : std::max(a, b)};
      for (TokenId x = 0; x < 3; ++x) {
        for (TokenId z = 0; z < 4; ++z) {
          if (noise == "masked" && z != kMask && z != x) continue;  // cannot happen
          if (survival.next == 1 && survival.now == 1) continue;
          const auto expected = bayes(noise, survival, z, x), mine = by_routes(noise, survival, z, x);
          for (size_t v = 0; v < 4; ++v)
            EXPECT_NEAR(mine[v], expected[v], 1e-12) << noise << " z " << z << " x " << x << " v " << v;
        }
      }
    }
  }
}

TEST(Routes, FromPureNoiseToClean) {
  for (const std::string noise : {"masked", "uniform"}) {
    const Routes routes = build<NoiseProcess>("{name: " + noise + "}")->routes(kMask, 1, {0, 1}, kVocabulary);
    EXPECT_EQ(routes.commit, 1) << noise;
  }
}

// Two positions of 4 tokens with a random joint distribution: the full posterior of position 0, shifted, is
// the posterior given position 1 alone.
TEST(LeaveOneOut, TheShiftTakesOutWhatTheOwnTokenSays) {
  const auto noise = build<NoiseProcess>("{name: uniform}");
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> unit(0.01, 1);
  for (int trial = 0; trial < 100; ++trial) {
    double joint[4][4];
    for (auto& row : joint)
      for (double& p : row) p = unit(random);
    const double alpha = unit(random) * 0.99;
    const auto z0 = static_cast<TokenId>(trial % 4), z1 = static_cast<TokenId>(trial / 4 % 4);
    std::vector<double> full(4), without(4);
    for (TokenId x = 0; x < 4; ++x) {
      for (TokenId other = 0; other < 4; ++other)
        without[static_cast<size_t>(x)] += joint[x][other] * transition("uniform", 1, alpha, other, z1);
      full[static_cast<size_t>(x)] = without[static_cast<size_t>(x)] * transition("uniform", 1, alpha, x, z0);
    }
    full[static_cast<size_t>(z0)] *= std::exp(*noise->leave_one_out_shift(alpha, kVocabulary));
    double a = 0, b = 0;
    for (size_t x = 0; x < 4; ++x) a += full[x], b += without[x];
    for (size_t x = 0; x < 4; ++x) EXPECT_NEAR(full[x] / a, without[x] / b, 1e-12);
  }
}

TEST(LeaveOneOut, MaskedNoiseHasNone) {
  EXPECT_FALSE(build<NoiseProcess>("{name: masked}")->leave_one_out_shift(0.5, kVocabulary).has_value());
}

}  // namespace
}  // namespace canvaslab
