// The option `random: counter`: the default generator with the run's seed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random/counter_random.h"
#include "core/random/random_source.h"
#include "tests/options.h"

namespace canvaslab {
namespace {

TEST(CounterSource, MakesTheGeneratorOfTheSeed) {
  const std::vector<StreamKey> rows{{.sample = 1, .canvas = 2, .step = 3}};
  const auto source = build<RandomSource>("{name: counter}");
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{17}, ~std::uint64_t{0}}) {
    EXPECT_EQ(source->make(seed)->candidates(rows, 9).uniforms,
              CounterRandom(seed).candidates(rows, 9).uniforms);
  }
  EXPECT_NE(source->make(1)->candidates(rows, 9).uniforms, source->make(2)->candidates(rows, 9).uniforms);
}

TEST(CounterSource, RefusesSettingsThatItDoesNotHave) {
  EXPECT_THAT(refusal<RandomSource>("{name: counter, seed: 3}"), ::testing::HasSubstr("unknown key 'seed'"));
}

}  // namespace
}  // namespace canvaslab
