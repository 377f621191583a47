// When all of several criteria stop, with other criteria inside.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/options.h"
#include "tests/samplers/stopping/steps.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<StoppingCriterion> criterion(const std::string& criteria) {
  return build<StoppingCriterion>("{name: all_of, criteria: [" + criteria + "]}");
}

const std::string kStable = "{name: stable, stability: 2}", kSure = "{name: mean_entropy, limit: 0.5}";

TEST(AllOf, StopsWhereAllSay) {
  const std::vector<Step> steps{{{1}, 1, {}}, {{1}, 0, {}}, {{1}, 1, {}}, {{1}, 0, {}}, {{1}, 1, {}}};
  EXPECT_EQ(stops(*criterion(kStable), steps), "00111");
  EXPECT_EQ(stops(*criterion(kSure), steps), "01010");
  EXPECT_EQ(stops(*criterion(kStable + ", " + kSure), steps), "00010");
  EXPECT_EQ(stops(*criterion("{name: max_steps, steps: 3}, {name: max_steps, steps: 5}"), steps), "00001");
}

TEST(AllOf, LooksAsFarBackAsAnyOfThem) {
  EXPECT_EQ(criterion(kSure + ", {name: stable, stability: 4}, " + kStable)->lookback(), 4);
  EXPECT_EQ(criterion(kSure)->lookback(), 0);
}

// Each criterion by itself, asked with its own few steps, says what it says among others.
TEST(AllOf, RandomSequencesFollowTheDefinition) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Step> steps;
    for (int i = 0; i < 12; ++i)
      steps.push_back({{static_cast<TokenId>(random() % 3 == 0)}, static_cast<float>(random() % 3) / 2, {}});
    const auto stable = signals(*build<StoppingCriterion>(kStable), steps);
    const auto sure = signals(*build<StoppingCriterion>(kSure), steps);
    const auto both = signals(*criterion(kSure + ", " + kStable), steps);
    for (size_t i = 0; i < steps.size(); ++i) {
      EXPECT_EQ(both[i].stop, stable[i].stop && sure[i].stop);
      EXPECT_EQ(both[i].stable, stable[i].stable);
      EXPECT_EQ(both[i].confident, sure[i].confident);
    }
  }
}

TEST(AllOf, CriteriaNest) {
  const std::vector<Step> steps{{{1}, 1, {}}, {{1}, 0, {}}, {{1}, 0, {}}, {{2}, 1, {}}};
  const std::string inner =
      "{name: any_of, criteria: [{name: stable}]}, {name: all_of, criteria: [{name: stable}]}";
  EXPECT_EQ(stops(*criterion(inner), steps), "0110");
  EXPECT_EQ(criterion(inner)->lookback(), 1);
}

TEST(AllOf, ShowsTheEffectiveSettingsOfItsCriteria) {
  const config::Node given = config::parse_yaml("{name: all_of, criteria: [{name: stable}]}", "a.yaml");
  const config::Node expected =
      config::parse_yaml("{name: all_of, criteria: [{name: stable, stability: 1}]}", "b.yaml");
  EXPECT_EQ(Registry<StoppingCriterion>::effective(given), expected);
}

TEST(AllOf, RefusesBadSettings) {
  const auto refused = [](const std::string& settings) {
    return refusal<StoppingCriterion>("{name: all_of, " + settings + "}");
  };
  EXPECT_THAT(refusal<StoppingCriterion>("{name: all_of}"), HasSubstr("criteria is empty"));
  EXPECT_THAT(refused("criteria: []"), HasSubstr("criteria is empty"));
  EXPECT_THAT(refused("criteria: [{name: stable}, null]"), HasSubstr("criteria.1 is null"));
  EXPECT_THAT(refused("criteria: [{name: stable, stability: 0}]"), HasSubstr("criteria.0.stability"));
  EXPECT_THAT(refused("criteria: [{name: stabel}]"), HasSubstr("did you mean 'stable'"));
  EXPECT_THAT(refused("criteria: {name: stable}"), HasSubstr("expected a list"));
  EXPECT_THAT(refusal<StoppingCriterion>("name: all_of\ncriteria: ???"), HasSubstr("must be set"));
}

}  // namespace
}  // namespace canvaslab
