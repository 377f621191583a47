// Masked noise: only masks, only masks are open, and a vocabulary without one is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random/counter_random.h"
#include "samplers/noise/noise_process.h"
#include "tests/options.h"

namespace canvaslab {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Vocabulary kVocabulary{.size = 20, .mask = 7, .padding = 0, .end = {1}};

TEST(MaskedNoise, IsMasksOnly) {
  CounterRandom random(1);
  const std::vector<StreamKey> rows{{.sample = 4, .canvas = 0, .step = 0},
                                    {.sample = 5, .canvas = 2, .step = 7}};
  for (const Purpose purpose : {Purpose::kInitialCanvas, Purpose::kNoise}) {
    std::vector<TokenId> out(20, -1);
    build<NoiseProcess>("{name: masked}")->draw(rows, purpose, kVocabulary, 10, random, out);
    EXPECT_THAT(out, Each(7));
  }
}

TEST(MaskedNoise, OnlyMasksAreOpen) {
  const auto noise = build<NoiseProcess>("{name: masked}");
  for (TokenId token = 0; token < 20; ++token) EXPECT_EQ(noise->undecided(token, kVocabulary), token == 7);
}

TEST(MaskedNoise, TheMaskIsNeverPredicted) {
  EXPECT_THAT(build<NoiseProcess>("{name: masked}")->suppressed(kVocabulary), ElementsAre(7));
}

TEST(MaskedNoise, RefusesAVocabularyWithoutAMask) {
  const auto noise = build<NoiseProcess>("{name: masked}");
  EXPECT_NO_THROW(noise->check(kVocabulary));
  try {
    noise->check({.size = 20, .mask = {}, .padding = 0, .end = {}});
    FAIL() << "accepted";
  } catch (const ConfigurationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("model.mask_token"));
  }
}

TEST(MaskedNoise, RefusesSettingsThatItDoesNotHave) {
  EXPECT_THAT(refusal<NoiseProcess>("{name: masked, token: 3}"), HasSubstr("unknown key 'token'"));
}

}  // namespace
}  // namespace canvaslab
