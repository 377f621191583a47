// Ratios of sums: the interval against resampling, and the way through a result file.
#include "experiments/ratio_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

namespace canvaslab {
namespace {

// 95 % of the ratios of resampled samples lie in the interval, within what 4,000 resamples tell.
TEST(RatioSums, TheIntervalIsThatOfResampling) {
  std::mt19937 random(5);
  std::vector<std::pair<int, int>> samples;
  RatioSums sums;
  for (int i = 0; i < 400; ++i) {
    const int canvases = 1 + static_cast<int>(random() % 3);
    int steps = 0;
    for (int c = 0; c < canvases; ++c) steps += 4 + static_cast<int>(random() % 9);
    samples.emplace_back(steps, canvases);
    sums.add(steps, canvases);
  }
  std::vector<double> ratios;
  for (int resample = 0; resample < 4000; ++resample) {
    double above = 0, below = 0;
    for (size_t i = 0; i < samples.size(); ++i) {
      const auto& [steps, canvases] = samples[random() % samples.size()];
      above += steps, below += canvases;
    }
    ratios.push_back(above / below);
  }
  std::sort(ratios.begin(), ratios.end());
  const Interval interval = *sums.interval();
  const double width = interval.high - interval.low;
  EXPECT_NEAR(interval.low, ratios[100], 0.06 * width);
  EXPECT_NEAR(interval.high, ratios[3899], 0.06 * width);
  EXPECT_NEAR((interval.low + interval.high) / 2, sums.ratio(), 1e-12);
}

// With a denominator of 1 everywhere it is the mean and its standard error.
TEST(RatioSums, OfOnesIsTheMean) {
  RatioSums sums;
  for (const int value : {2, 4, 9}) sums.add(value, 1);
  EXPECT_DOUBLE_EQ(sums.ratio(), 5);
  const double error = std::sqrt((9 + 1 + 16) / 2.0 / 3);
  EXPECT_NEAR(sums.interval()->high - 5, 1.959964 * error, 1e-6);
}

TEST(RatioSums, WithoutSamplesThereIsNone) {
  RatioSums sums;
  EXPECT_TRUE(std::isnan(sums.ratio()));
  EXPECT_FALSE(sums.interval());
  sums.add(3, 1);
  EXPECT_FALSE(sums.interval());
  sums = {};
  sums.add(3, 0), sums.add(4, 0);
  EXPECT_FALSE(sums.interval());
}

TEST(RatioSums, ComesBackFromAFile) {
  RatioSums sums;
  sums.add(7, 2), sums.add(5, 1);
  EXPECT_EQ(ratio_sums_of(nlohmann::json::parse(to_json(sums).dump())), sums);
}

}  // namespace
}  // namespace canvaslab
