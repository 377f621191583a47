// The stop rule against its definition over random step sequences, and the effect of each of its settings.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/options.h"
#include "tests/samplers/stopping/steps.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

std::string stops(const std::string& settings, const std::vector<Step>& steps) {
  return stops(*build<StoppingCriterion>("{name: stable_and_confident, " + settings + "}"), steps);
}

const std::vector<TokenId> kA{1, 2}, kB{1, 3};

TEST(StableAndConfident, StabilityCountsTheEarlierEqualPredictions) {
  const std::vector<Step> certain(5, Step{kA, 0, {}});
  EXPECT_EQ(stops("stability: 0", certain), "11111");
  EXPECT_EQ(stops("stability: 1", certain), "01111");
  EXPECT_EQ(stops("stability: 2", certain), "00111");
  EXPECT_EQ(stops("stability: 4", certain), "00001");
  EXPECT_EQ(stops("stability: 9", certain), "00000");
}

TEST(StableAndConfident, AChangedPredictionStartsTheCountAnew) {
  const std::vector<Step> steps{{kA, 0, {}}, {kA, 0, {}}, {kB, 0, {}}, {kA, 0, {}}, {kA, 0, {}}, {kA, 0, {}}};
  EXPECT_EQ(stops("stability: 1", steps), "010011");
  EXPECT_EQ(stops("stability: 2", steps), "000001");
}

TEST(StableAndConfident, BothConditionsMustHoldAtTheSameStep) {
  EXPECT_EQ(
      stops("confidence: 0.5", {{kA, 1, {}}, {kA, 1, {}}, {kA, 0.25F, {}}, {kB, 0.25F, {}}, {kB, 1, {}}}),
      "00100");
  const auto all = signals(*build<StoppingCriterion>("{name: stable_and_confident, confidence: 0.5}"),
                           {{kA, 0.25F, {}}, {kA, 1, {}}});
  EXPECT_TRUE(!all[0].stable && all[0].confident && !all[0].stop);
  EXPECT_TRUE(all[1].stable && !all[1].confident && !all[1].stop);
}

TEST(StableAndConfident, ConfidenceIsALimitOfTheMeanEntropy) {
  const std::vector<Step> steps{{kA, 0.25F, {}}, {kA, 0.25F, {}}};
  EXPECT_EQ(stops("confidence: 0.26", steps), "01");
  EXPECT_EQ(stops("confidence: 0.24", steps), "00");
  EXPECT_EQ(stops("confidence: 0", {{kA, 0, {}}, {kA, 0, {}}}), "00");  // 0 never stops
}

// The mean entropy is a float32, and so is the limit that it is compared with.
TEST(StableAndConfident, ComparisonDecidesAboutTheLimitItself) {
  for (const auto& [limit, entropy] : {std::pair{"0.25", 0.25F}, {"0.005", 0.005F}, {"0.1", 0.1F}}) {
    const std::vector<Step> steps{{kA, entropy, {}}, {kA, entropy, {}}};
    EXPECT_EQ(stops(fmt::format("confidence: {}, comparison: strict", limit), steps), "00") << limit;
    EXPECT_EQ(stops(fmt::format("confidence: {}, comparison: inclusive", limit), steps), "01") << limit;
  }
  EXPECT_EQ(stops("confidence: 0, comparison: inclusive", {{kA, 0, {}}, {kA, 0, {}}}), "01");
}

TEST(StableAndConfident, StableAgainstTheCanvasComparesWithWhatThePredictionWasMadeFrom) {
  // Predictions are equal throughout; the canvas follows one step later.
  const std::vector<Step> steps{{kA, 0, kB}, {kA, 0, kB}, {kA, 0, kA}, {kA, 0, kA}};
  EXPECT_EQ(stops("stable_against: argmax", steps), "0111");
  EXPECT_EQ(stops("stable_against: canvas", steps), "0011");
  EXPECT_EQ(stops("stable_against: canvas, stability: 2", steps), "0001");
  EXPECT_EQ(stops("stable_against: canvas, stability: 0", steps), "1111");
}

TEST(StableAndConfident, TheFirstCanvasIsNoiseAndDoesNotCount) {
  EXPECT_EQ(stops("stable_against: canvas", {{kA, 0, kA}, {kA, 0, kA}, {kA, 0, kA}}), "011");
}

// Straight from the definition, over the whole sequence instead of the loop's few last steps.
TEST(StableAndConfident, RandomSequencesFollowTheDefinition) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 300; ++trial) {
    const auto stability = static_cast<size_t>(random() % 4);
    std::vector<Step> steps;
    for (int i = 0; i < 12; ++i) {
      steps.push_back({{static_cast<TokenId>(random() % 4 == 0)}, static_cast<float>(random() % 4) / 8, {}});
    }
    std::string expected;
    for (size_t i = 0; i < steps.size(); ++i) {
      bool stop = i >= stability && steps[i].entropy < 0.25F;
      for (size_t back = 1; stop && back <= stability; ++back)
        stop = steps[i - back].argmax == steps[i].argmax;
      expected += stop ? '1' : '0';
    }
    EXPECT_EQ(stops(fmt::format("stability: {}, confidence: 0.25", stability), steps), expected);
  }
}

TEST(StableAndConfident, RefusesBadSettings) {
  for (const char* bad :
       {"stability: -1", "stability: 1.5", "stability: null", "confidence: -0.1", "confidence: null",
        "confidence: .nan", "stable_against: noise", "comparison: equal"}) {
    EXPECT_NE(refusal<StoppingCriterion>(fmt::format("{{name: stable_and_confident, {}}}", bad)), "accepted")
        << bad;
  }
  EXPECT_EQ(refusal<StoppingCriterion>("{name: stable_and_confident, confidence: 1}"),
            "accepted");  // an integer is a number
  EXPECT_THAT(refusal<StoppingCriterion>("{name: stable_and_confident, confidance: 1}"),
              HasSubstr("did you mean 'confidence'"));
}

}  // namespace
}  // namespace canvaslab
