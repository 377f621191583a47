// Paired intervals against published values, an independent limit, and simulation.
#include "experiments/paired_difference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace canvaslab {
namespace {

struct Pairs {
  std::string grades, baseline;
};

Pairs pairs_of(int both, int gained, int lost, int neither) {
  const auto repeated = [](int count, char letter) {
    return std::string(static_cast<size_t>(count), letter);
  };
  return {repeated(both + gained, '1') + repeated(lost + neither, '0'),
          repeated(both, '1') + repeated(gained, '0') + repeated(lost, '1') + repeated(neither, '0')};
}

// Fagerland, Lydersen, Laake, "Recommended tests and confidence intervals for paired binomial proportions"
// (2014), airway hyper-responsiveness; Altman et al., "Statistics with confidence" (2000), table 6.2.
TEST(PairedDifference, GivesThePublishedIntervals) {
  struct Case {
    Pairs pairs;
    double difference, low, high;
  };
  for (const Case& known : {Case{pairs_of(1, 1, 7, 12), -0.286, -0.507, -0.026},
                            Case{pairs_of(14, 5, 0, 22), 0.122, 0.011, 0.226}}) {
    const PairedDifference found = paired_difference(known.pairs.grades, known.pairs.baseline);
    EXPECT_NEAR(found.difference, known.difference, 5e-4);
    EXPECT_NEAR(found.interval.low, known.low, 6e-4);
    EXPECT_NEAR(found.interval.high, known.high, 6e-4);
  }
}

TEST(PairedDifference, IsNearTheNormalIntervalForManyPairs) {
  const Pairs pairs = pairs_of(6000, 1000, 700, 2300);
  const PairedDifference found = paired_difference(pairs.grades, pairs.baseline);
  const double reach = 1.96 * std::sqrt((0.1 + 0.07 - 0.03 * 0.03) / 10000);
  EXPECT_NEAR(found.interval.low, 0.03 - reach, 0.02 * reach);
  EXPECT_NEAR(found.interval.high, 0.03 + reach, 0.02 * reach);
}

TEST(PairedDifference, CountsThePairsThatWereGradedTwice) {
  const PairedDifference found = paired_difference("1101.01", "0101101");
  EXPECT_EQ(found.pairs, 6);
  EXPECT_EQ(found.gained, 1);
  EXPECT_EQ(found.lost, 0);
  EXPECT_DOUBLE_EQ(found.difference, 1.0 / 6);
}

TEST(PairedDifference, SwappedIsNegated) {
  const Pairs pairs = pairs_of(50, 9, 3, 20);
  const PairedDifference one = paired_difference(pairs.grades, pairs.baseline);
  const PairedDifference other = paired_difference(pairs.baseline, pairs.grades);
  EXPECT_DOUBLE_EQ(one.difference, -other.difference);
  EXPECT_NEAR(one.interval.low, -other.interval.high, 1e-12);
  EXPECT_NEAR(one.interval.high, -other.interval.low, 1e-12);
}

// Where all pairs agree at 100 % a normal interval has no width.
TEST(PairedDifference, KeepsAWidthWhereAllPairsAgree) {
  const PairedDifference found = paired_difference(std::string(54, '1'), std::string(54, '1'));
  EXPECT_EQ(found.difference, 0);
  EXPECT_LT(found.interval.low, -0.05);
  EXPECT_GT(found.interval.high, 0.05);
}

// 200 pairs: right with 90 % after the baseline was right, with 50 % after it was wrong (baseline: 80 %).
TEST(PairedDifference, CoversTheTruthIn95OfAHundred) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> draw(0, 1);
  const double truth = 0.8 * 0.9 + 0.2 * 0.5 - 0.8;
  int covered = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    Pairs pairs;
    for (int i = 0; i < 200; ++i) {
      pairs.baseline += draw(random) < 0.8 ? '1' : '0';
      pairs.grades += draw(random) < (pairs.baseline.back() == '1' ? 0.9 : 0.5) ? '1' : '0';
    }
    const PairedDifference found = paired_difference(pairs.grades, pairs.baseline);
    covered += found.interval.low <= truth && truth <= found.interval.high ? 1 : 0;
  }
  EXPECT_GT(covered, 0.94 * 4000);
  EXPECT_LT(covered, 0.97 * 4000);
}

}  // namespace
}  // namespace canvaslab
