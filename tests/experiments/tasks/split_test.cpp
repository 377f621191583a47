// Splits are fixed shares; random numbers and orders are functions of their keys.
#include "experiments/tasks/split.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "experiments/tasks/example_random.h"
#include "experiments/tasks/permutation.h"

namespace canvaslab {
namespace {

TEST(Split, SharesOutEightToOneToOne) {
  std::array<int, 3> counts{};
  for (int i = 0; i < 100000; ++i) ++counts[static_cast<size_t>(split_of("number", fmt::format("{}", i)))];
  EXPECT_NEAR(counts[0], 80000, 600);  // standard deviations: 126, 95, 95
  EXPECT_NEAR(counts[1], 10000, 450);
  EXPECT_NEAR(counts[2], 10000, 450);
}

// A grid's split must say nothing about its prompt's.
TEST(Split, KindsAreIndependent) {
  int both = 0;
  for (int i = 0; i < 100000; ++i) {
    const std::string text = fmt::format("{}", i);
    both += split_of("grid", text) == Split::kTest && split_of("prompt", text) == Split::kTest ? 1 : 0;
  }
  EXPECT_NEAR(both, 1000, 150);
}

// A change would move examples that shipped models were trained on into the test split. Computed apart, from
// the definitions of FNV-1a and SplitMix64.
TEST(Split, NeverChanges) {
  EXPECT_EQ(split_of("sudoku prompt", "1234341221434321"), Split::kTrain);
  std::map<int, std::string> elsewhere;
  for (int i = 0; i < 40; ++i) {
    const Split split = split_of("sudoku grid", fmt::format("{}", i));
    if (split != Split::kTrain) elsewhere[i] = split_name(split);
  }
  EXPECT_EQ(elsewhere,
            (std::map<int, std::string>{
                {11, "validation"}, {17, "validation"}, {19, "validation"}, {25, "test"}, {31, "test"}}));
}

TEST(ExampleRandom, DependsOnSeedSplitAndIndexAlone) {
  const auto draws = [](std::uint64_t seed, Split split, std::uint64_t index) {
    ExampleRandom random(seed, split, index);
    std::vector<std::uint32_t> all;
    for (int i = 0; i < 10; ++i) all.push_back(random.below(1000000));
    return all;
  };
  EXPECT_EQ(draws(1, Split::kTrain, 5), draws(1, Split::kTrain, 5));
  std::set<std::vector<std::uint32_t>> different{
      draws(1, Split::kTrain, 5),          draws(2, Split::kTrain, 5),
      draws(1, Split::kTest, 5),           draws(1, Split::kTrain, 6),
      draws(1ULL << 32, Split::kTrain, 5), draws(1, Split::kTrain, 5 + (1ULL << 32))};
  EXPECT_EQ(different.size(), 6U);
}

// Chi-squared with 6 degrees of freedom: 22.5 is passed once in a thousand times.
TEST(ExampleRandom, NumbersAreEquallyLikely) {
  ExampleRandom random(7, Split::kTrain, 0);
  std::array<int, 7> counts{};
  for (int i = 0; i < 70000; ++i) ++counts[random.below(7)];
  double chi_squared = 0;
  for (const int count : counts) chi_squared += (count - 10000.0) * (count - 10000.0) / 10000;
  EXPECT_LT(chi_squared, 22.5);
  EXPECT_EQ(random.below(1), 0U);
}

TEST(ExampleRandom, ShufflesIntoEveryOrder) {
  std::set<std::vector<int>> orders;
  for (std::uint64_t index = 0; index < 500; ++index) {
    ExampleRandom random(1, Split::kTrain, index);
    std::vector<int> values{0, 1, 2, 3};
    random.shuffle(std::span(values));
    orders.insert(values);
  }
  EXPECT_EQ(orders.size(), 24U);
}

TEST(Permuted, EveryEpochHasEachPlaceOnceInAnotherOrder) {
  for (const std::uint64_t count : {1, 2, 3, 4, 5, 16, 17, 1000}) {
    std::set<std::vector<std::uint64_t>> orders;
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
      std::vector<std::uint64_t> order;
      for (std::uint64_t place = 0; place < count; ++place) order.push_back(permuted(place, count, epoch, 9));
      orders.insert(order);
      std::sort(order.begin(), order.end());
      std::vector<std::uint64_t> all(count);
      std::iota(all.begin(), all.end(), 0);
      EXPECT_EQ(order, all) << count << " " << epoch;
    }
    if (count > 10) {
      EXPECT_EQ(orders.size(), 3U) << count;
    }
  }
}

}  // namespace
}  // namespace canvaslab
