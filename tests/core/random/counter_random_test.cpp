// The default generator: draws are uniform, streams are separate, and a row's draws are its own.
#include "core/random/counter_random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace canvaslab {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Ge;
using ::testing::IsEmpty;
using ::testing::Lt;

std::vector<TokenId> tokens(std::uint64_t seed, const std::vector<StreamKey>& rows, Purpose purpose,
                            std::int64_t vocabulary, std::int64_t length) {
  CounterRandom random(seed);
  std::vector<TokenId> out(rows.size() * static_cast<size_t>(length), -1);
  random.tokens(rows, purpose, vocabulary, length, out);
  return out;
}

std::vector<double> uniforms(std::uint64_t seed, const std::vector<StreamKey>& rows, std::int64_t length) {
  return CounterRandom(seed).candidates(rows, length).uniforms;
}

double selection(std::uint64_t seed, const StreamKey& row, std::uint32_t position, std::uint32_t number) {
  return CounterRandom(seed).selection(row, position, number);
}

// Pearson's statistic of equal expected counts, in standard deviations from its mean.
double chi_square_deviation(const std::vector<int>& counts, double draws) {
  const double expected = draws / static_cast<double>(counts.size()),
               freedom = static_cast<double>(counts.size()) - 1;
  double statistic = 0;
  for (const int count : counts) statistic += (count - expected) * (count - expected) / expected;
  return (statistic - freedom) / std::sqrt(2 * freedom);
}

// Every coordinate of the key, and the position, in turn runs over many values while the others stand still.
TEST(CounterRandom, TokensAreUniformAlongEveryCoordinate) {
  constexpr int kVocabulary = 97, kDraws = 97 * 200;
  std::vector<StreamKey> by_sample, by_canvas, by_step;
  for (std::uint32_t i = 0; i < kDraws; ++i) {
    by_sample.push_back({.sample = i, .canvas = 1, .step = 2});
    by_canvas.push_back({.sample = 3, .canvas = i, .step = 2});
    by_step.push_back({.sample = 3, .canvas = 1, .step = i});
  }
  const std::vector<StreamKey> one{{.sample = 3, .canvas = 1, .step = 2}};
  for (const auto& drawn : {tokens(1, by_sample, Purpose::kNoise, kVocabulary, 1),
                            tokens(1, by_canvas, Purpose::kNoise, kVocabulary, 1),
                            tokens(1, by_step, Purpose::kNoise, kVocabulary, 1),
                            tokens(1, one, Purpose::kNoise, kVocabulary, kDraws)}) {
    std::vector<int> counts(kVocabulary);
    for (const TokenId token : drawn) ++counts.at(static_cast<size_t>(token));
    EXPECT_LT(std::abs(chi_square_deviation(counts, kDraws)), 4);
  }
}

TEST(CounterRandom, NeighbouringDrawsAreIndependent) {
  constexpr int kSide = 16, kDraws = 60000;
  const std::vector<StreamKey> one{{.sample = 9, .canvas = 0, .step = 0}},
      next{{.sample = 9, .canvas = 0, .step = 1}}, other{{.sample = 10, .canvas = 0, .step = 0}};
  const std::vector<double> base = uniforms(7, one, kDraws);
  std::vector<double> shifted = base;
  std::rotate(shifted.begin(), shifted.begin() + 1, shifted.end());
  std::vector<double> second_word;  // the bits of the same draws below the first 32
  for (const double u : base) second_word.push_back(std::fmod(u * 0x1.0p32, 1));
  for (const auto& partner : {shifted, second_word, uniforms(7, next, kDraws), uniforms(7, other, kDraws),
                              uniforms(8, one, kDraws)}) {
    std::vector<int> counts(kSide * kSide);
    for (int i = 0; i < kDraws; ++i) {
      ++counts[static_cast<size_t>(static_cast<int>(base[i] * kSide) * kSide +
                                   static_cast<int>(partner[i] * kSide))];
    }
    EXPECT_LT(std::abs(chi_square_deviation(counts, kDraws)), 4);
  }
}

TEST(CounterRandom, StreamsOfOtherKeysDiffer) {
  std::set<std::vector<TokenId>> streams;
  int count = 0;
  for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1} << 40}) {
    for (const Purpose purpose :
         {Purpose::kInitialCanvas, Purpose::kCandidate, Purpose::kNoise, Purpose::kSelection}) {
      for (const std::uint64_t sample :
           {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 1}) {
        for (std::uint32_t canvas = 0; canvas < 3; ++canvas) {
          for (std::uint32_t step = 0; step < 3; ++step) {
            streams.insert(tokens(seed, {{sample, canvas, step}}, purpose, 1000, 8));
            ++count;
          }
        }
      }
    }
  }
  EXPECT_EQ(static_cast<int>(streams.size()), count);
}

TEST(CounterRandom, CandidatesAreTheirPurposesUniforms) {
  const StreamKey key{.sample = 3, .canvas = 1, .step = 2};
  const std::vector<double> drawn = uniforms(5, {key}, 20);
  for (std::uint32_t i = 0; i < 20; ++i)
    EXPECT_EQ(drawn[i], CounterRandom(5).uniform(key, Purpose::kCandidate, i));
  EXPECT_NE(drawn[0], CounterRandom(5).uniform(key, Purpose::kNoise, 0));
}

TEST(CounterRandom, ARowsDrawsDoNotDependOnItsBatch) {
  const std::vector<StreamKey> batch{{.sample = 5, .canvas = 0, .step = 9},
                                     {.sample = 2, .canvas = 3, .step = 1},
                                     {.sample = 7, .canvas = 0, .step = 0}};
  const std::vector<StreamKey> reversed(batch.rbegin(), batch.rend());
  constexpr std::int64_t kLength = 6;
  const std::vector<double> together = uniforms(1, batch, kLength),
                            backwards = uniforms(1, reversed, kLength);
  const std::vector<TokenId> noise = tokens(1, batch, Purpose::kNoise, 50, kLength);
  for (size_t r = 0; r < batch.size(); ++r) {
    const std::vector<double> alone = uniforms(1, {batch[r]}, kLength);
    const auto row = static_cast<std::ptrdiff_t>(r) * kLength,
               mirrored = static_cast<std::ptrdiff_t>(2 - r) * kLength;
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(), together.begin() + row));
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(), backwards.begin() + mirrored));
    const std::vector<TokenId> noise_alone = tokens(1, {batch[r]}, Purpose::kNoise, 50, kLength);
    EXPECT_TRUE(std::equal(noise_alone.begin(), noise_alone.end(), noise.begin() + row));
  }
}

TEST(CounterRandom, WhatWasDrawnBeforeDoesNotMatter) {
  CounterRandom random(3);
  const std::vector<StreamKey> rows{{.sample = 1, .canvas = 0, .step = 0}};
  const std::vector<double> first = random.candidates(rows, 10).uniforms;
  random.candidates(rows, 1000);
  EXPECT_EQ(random.candidates(rows, 10).uniforms, first);
}

TEST(CounterRandom, ALongerCanvasBeginsWithTheSameDraws) {
  const std::vector<StreamKey> rows{{.sample = 1, .canvas = 0, .step = 0}};
  const std::vector<double> shorter = uniforms(1, rows, 4), longer = uniforms(1, rows, 9);
  EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin()));
}

TEST(CounterRandom, StaysInRange) {
  const std::vector<StreamKey> rows{{.sample = 1, .canvas = 0, .step = 0}};
  for (const std::int64_t vocabulary :
       {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{262144}}) {
    EXPECT_THAT(tokens(1, rows, Purpose::kNoise, vocabulary, 5000), Each(AllOf(Ge(0), Lt(vocabulary))));
  }
  EXPECT_THAT(uniforms(1, rows, 5000), Each(AllOf(Ge(0.0), Lt(1.0))));
}

TEST(CounterRandom, DrawsUniformsAndNothingElse) {
  const CandidateDraws draws = CounterRandom(1).candidates(std::vector<StreamKey>(2), 3);
  EXPECT_EQ(draws.uniforms.size(), 6U);
  EXPECT_THAT(draws.given, IsEmpty());
  EXPECT_EQ(draws.joint, nullptr);
  EXPECT_FALSE(CounterRandom(1).lockstep());
}

// A rule's draws differ by everything that names them, and fill the unit interval.
TEST(CounterRandom, SelectionDrawsHaveAStreamOfTheirOwn) {
  std::set<double> seen;
  std::vector<int> counts(16);
  int draws = 0;
  for (std::uint64_t seed : {1, 2}) {
    for (std::uint64_t sample = 0; sample < 5; ++sample) {
      for (std::uint32_t canvas = 0; canvas < 2; ++canvas) {
        for (std::uint32_t step = 0; step < 5; ++step) {
          for (std::uint32_t position = 0; position < 10; ++position) {
            for (std::uint32_t number = 0; number < 3; ++number, ++draws) {
              const double u = selection(seed, {sample, canvas, step}, position, number);
              EXPECT_THAT(u, AllOf(Ge(0), Lt(1)));
              seen.insert(u);
              ++counts[static_cast<size_t>(u * 16)];
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(static_cast<int>(seen.size()), draws);
  EXPECT_LT(std::abs(chi_square_deviation(counts, draws)), 4);
  for (const double candidate : uniforms(1, {{0, 0, 0}}, 10)) EXPECT_FALSE(seen.contains(candidate));
}

}  // namespace
}  // namespace canvaslab
