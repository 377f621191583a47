#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/experiments/sweep/sweeper/cells_of.h"

namespace canvaslab {
namespace {

const std::vector<std::string> kWords{"a=interval(2.0,5.0)", "b=int(interval(1,4))", "c=x,y,z"};

TEST(RandomSweeper, DrawsEveryKeyFromItsValuesOrInterval) {
  const CellWords cells = cells_of("{name: random, trials: 400}", kWords);
  ASSERT_EQ(cells.size(), 400U);
  double sum = 0;
  std::map<std::string, int> integers, values;
  for (const std::vector<std::string>& cell : cells) {
    EXPECT_GE(number_in(cell, 0), 2.0);
    EXPECT_LT(number_in(cell, 0), 5.0);
    sum += number_in(cell, 0);
    ++integers[cell[1]], ++values[cell[2]];
  }
  EXPECT_NEAR(sum / 400, 3.5, 0.2);  // 4.6 standard errors
  ASSERT_EQ(integers.size(), 3U);    // 1, 2, 3: the upper end is outside
  for (const auto& [word, count] : integers) EXPECT_NEAR(count, 133, 45) << word;
  ASSERT_EQ(values.size(), 3U);
  for (const auto& [word, count] : values) EXPECT_NEAR(count, 133, 45) << word;
}

TEST(RandomSweeper, RepeatsForASeedAndDiffersForAnother) {
  EXPECT_EQ(cells_of("{name: random, trials: 20, seed: 5}", kWords),
            cells_of("{name: random, trials: 20, seed: 5}", kWords));
  EXPECT_NE(cells_of("{name: random, trials: 20, seed: 5}", kWords),
            cells_of("{name: random, trials: 20, seed: 6}", kWords));
}

TEST(RandomSweeper, MoreTrialsKeepTheFirstOnes) {
  const CellWords few = cells_of("{name: random, trials: 5}", kWords);
  CellWords many = cells_of("{name: random, trials: 50}", kWords);
  many.resize(5);
  EXPECT_EQ(few, many);
}

TEST(RandomSweeper, KeysBehindTheOthersLeaveThemAsTheyAre) {
  const CellWords two = cells_of("{name: random, trials: 30}", {kWords[0], kWords[1]});
  CellWords three = cells_of("{name: random, trials: 30}", kWords);
  for (std::vector<std::string>& cell : three) cell.resize(2);
  EXPECT_EQ(two, three);
}

TEST(RandomSweeper, DrawsEvenlyInTheLogarithmWhereAskedTo) {
  const CellWords cells = cells_of("{name: random, trials: 300}", {"a=tag(log,interval(0.0001,1.0))"});
  int below = 0;
  for (const std::vector<std::string>& cell : cells) below += number_in(cell, 0) < 0.01 ? 1 : 0;
  EXPECT_NEAR(below, 150, 40);  // 0.01 is halfway in the logarithm
}

TEST(RandomSweeper, WritesWordsThatParse) {
  for (const std::vector<std::string>& cell : cells_of("{name: random}", kWords)) {
    EXPECT_TRUE(config::parse_override(cell[0]).value->is_real()) << cell[0];
    EXPECT_TRUE(config::parse_override(cell[1]).value->is_integer()) << cell[1];
  }
}

}  // namespace
}  // namespace canvaslab
