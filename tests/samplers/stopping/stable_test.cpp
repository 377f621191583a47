// A prediction that stopped changing, against the definition over the whole sequence.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/options.h"
#include "tests/samplers/stopping/steps.h"

namespace canvaslab {
namespace {

std::string stops(int stability, const std::vector<Step>& steps) {
  return stops(*build<StoppingCriterion>(fmt::format("{{name: stable, stability: {}}}", stability)), steps);
}

TEST(Stable, CountsTheEarlierEqualPredictionsWhateverTheEntropy) {
  const std::vector<Step> same(4, Step{{1, 2}, 9, {}});
  EXPECT_EQ(stops(1, same), "0111");
  EXPECT_EQ(stops(2, same), "0011");
  EXPECT_EQ(stops(4, same), "0000");
  EXPECT_EQ(stops(*build<StoppingCriterion>("{name: stable}"), same), "0111");
  EXPECT_EQ(build<StoppingCriterion>("{name: stable, stability: 3}")->lookback(), 3);
}

TEST(Stable, RandomSequencesFollowTheDefinition) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 200; ++trial) {
    const auto stability = static_cast<size_t>(1 + random() % 3);
    std::vector<Step> steps;
    for (int i = 0; i < 12; ++i) steps.push_back({{static_cast<TokenId>(random() % 3 == 0)}, 1, {}});
    std::string expected;
    for (size_t i = 0; i < steps.size(); ++i) {
      bool stop = i >= stability;
      for (size_t back = 1; stop && back <= stability; ++back)
        stop = steps[i - back].argmax == steps[i].argmax;
      expected += stop ? '1' : '0';
    }
    EXPECT_EQ(stops(static_cast<int>(stability), steps), expected);
  }
}

TEST(Stable, IsStableWhereItStops) {
  const auto all =
      signals(*build<StoppingCriterion>("{name: stable}"), {{{1}, 0, {}}, {{1}, 0, {}}, {{2}, 0, {}}});
  EXPECT_TRUE(!all[0].stable && all[1].stable && !all[2].stable && !all[1].confident);
}

TEST(Stable, RefusesBadSettings) {
  for (const char* bad : {"stability: 0", "stability: -1", "stability: 1.5", "stability: null", "steps: 1"})
    EXPECT_NE(refusal<StoppingCriterion>(fmt::format("{{name: stable, {}}}", bad)), "accepted") << bad;
}

}  // namespace
}  // namespace canvaslab
