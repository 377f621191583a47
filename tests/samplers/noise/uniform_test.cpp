// Uniform noise: what it draws, and that every position stays open.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/random/counter_random.h"
#include "samplers/noise/noise_process.h"
#include "tests/options.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Vocabulary kVocabulary{.size = 20, .mask = 19, .padding = 0, .end = {1}};
const std::vector<StreamKey> kRows{{.sample = 4, .canvas = 0, .step = 0},
                                   {.sample = 5, .canvas = 2, .step = 7}};

std::vector<TokenId> draw(Purpose purpose, std::uint64_t seed, std::int64_t length = 300) {
  CounterRandom random(seed);
  std::vector<TokenId> out(kRows.size() * static_cast<size_t>(length), -1);
  build<NoiseProcess>("{name: uniform}")->draw(kRows, purpose, kVocabulary, length, random, out);
  return out;
}

TEST(UniformNoise, DrawsFromTheWholeVocabularySpecialTokensIncluded) {
  const std::vector<TokenId> drawn = draw(Purpose::kNoise, 1);
  const std::set<TokenId> seen(drawn.begin(), drawn.end());
  EXPECT_EQ(seen.size(), 20U);  // 600 draws miss one of 20 tokens once in 10^12
  EXPECT_EQ(*seen.begin(), 0);
  EXPECT_EQ(*seen.rbegin(), 19);
}

TEST(UniformNoise, DrawsAreThoseOfTheGeneratorForThatPurpose) {
  CounterRandom random(1);
  std::vector<TokenId> expected(600);
  random.tokens(kRows, Purpose::kInitialCanvas, 20, 300, expected);
  EXPECT_EQ(draw(Purpose::kInitialCanvas, 1), expected);
  EXPECT_NE(draw(Purpose::kNoise, 1), expected);
  EXPECT_NE(draw(Purpose::kInitialCanvas, 2), expected);
}

TEST(UniformNoise, EveryPositionStaysOpenAndNothingIsSuppressed) {
  const auto noise = build<NoiseProcess>("{name: uniform}");
  for (TokenId token = 0; token < 20; ++token) EXPECT_TRUE(noise->undecided(token, kVocabulary));
  EXPECT_THAT(noise->suppressed(kVocabulary), IsEmpty());
  EXPECT_NO_THROW(noise->check({.size = 3, .mask = {}, .padding = {}, .end = {}}));
}

TEST(UniformNoise, RefusesSettingsThatItDoesNotHave) {
  EXPECT_THAT(refusal<NoiseProcess>("{name: uniform, mask: 3}"), HasSubstr("unknown key 'mask'"));
}

}  // namespace
}  // namespace canvaslab
