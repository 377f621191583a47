#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/experiments/sweep/sweeper/cells_of.h"

namespace canvaslab {
namespace {

// Which of `parts` equal parts of [0, 1) a value lies in.
int part_of(double value, int parts) {
  return static_cast<int>(std::floor(value * parts));
}

TEST(SobolSweeper, WithoutASeedIsTheSequenceItself) {
  const CellWords cells =
      cells_of("{name: sobol, trials: 4, seed: null}", {"a=interval(0,1)", "b=7", "c=interval(10.0,20.0)"});
  EXPECT_EQ(cells, (CellWords{{"a=0.0", "b=7", "c=10.0"},
                              {"a=0.5", "b=7", "c=15.0"},
                              {"a=0.75", "b=7", "c=12.5"},
                              {"a=0.25", "b=7", "c=17.5"}}));
}

// 64 points: every one of 64 strips in each direction, and every one of 8 x 8 squares, holds one.
TEST(SobolSweeper, FillsThePlaneEvenlyForAnySeed) {
  for (const char* seed : {"1", "2", "12345678901"}) {
    const CellWords cells = cells_of(fmt::format("{{name: sobol, trials: 64, seed: {}}}", seed),
                                     {"a=interval(0.0,1.0)", "b=interval(0.0,1.0)"});
    std::set<int> rows, columns, squares;
    for (const std::vector<std::string>& cell : cells) {
      const double x = number_in(cell, 0), y = number_in(cell, 1);
      rows.insert(part_of(x, 64)), columns.insert(part_of(y, 64));
      squares.insert(part_of(x, 8) * 8 + part_of(y, 8));
    }
    EXPECT_EQ(rows.size(), 64U);
    EXPECT_EQ(columns.size(), 64U);
    EXPECT_EQ(squares.size(), 64U);
  }
}

TEST(SobolSweeper, AnotherSeedShiftsThePoints) {
  const std::vector<std::string> words{"a=interval(0.0,1.0)"};
  EXPECT_EQ(cells_of("{name: sobol, seed: 3}", words), cells_of("{name: sobol, seed: 3}", words));
  EXPECT_NE(cells_of("{name: sobol, seed: 3}", words), cells_of("{name: sobol, seed: 4}", words));
}

TEST(SobolSweeper, TakesEveryValueOfAListEquallyOften) {
  std::map<std::string, int> counts;
  for (const auto& cell : cells_of("{name: sobol, trials: 32}", {"a=p,q,r,s", "b=interval(0,1)"}))
    ++counts[cell[0]];
  EXPECT_EQ(counts, (std::map<std::string, int>{{"a=p", 8}, {"a=q", 8}, {"a=r", 8}, {"a=s", 8}}));
}

}  // namespace
}  // namespace canvaslab
