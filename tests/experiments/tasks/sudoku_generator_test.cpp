// Generated puzzles: proven right, disjoint between splits, and with one solution where that is promised - by
// a search of the test's own.
#include "experiments/tasks/sudoku_generator.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "experiments/tasks/sudoku_search.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

constexpr Split kSplits[] = {Split::kTrain, Split::kValidation, Split::kTest};

// Whether `digit` at `cell` clashes with the grid, from the definition.
bool clashes(const std::string& grid, int side, int cell, char digit) {
  const int box_rows = side == 9 ? 3 : 2, box_columns = side / box_rows;
  for (int other = 0; other < side * side; ++other) {
    if (other == cell || grid[other] != digit) continue;
    const bool same_row = other / side == cell / side, same_column = other % side == cell % side;
    const bool same_box = other / side / box_rows == cell / side / box_rows &&
                          other % side / box_columns == cell % side / box_columns;
    if (same_row || same_column || same_box) return true;
  }
  return false;
}

bool valid(const std::string& grid, int side) {
  if (static_cast<int>(grid.size()) != side * side) return false;
  for (int cell = 0; cell < side * side; ++cell) {
    if (grid[cell] < '1' || grid[cell] > '0' + side || clashes(grid, side, cell, grid[cell])) return false;
  }
  return true;
}

// Solutions, cell after cell in order, up to `limit`.
int solutions(std::string& grid, int side, int limit) {
  const size_t blank = grid.find('.');
  if (blank == std::string::npos) return 1;
  int count = 0;
  for (char digit = '1'; digit <= '0' + side && count < limit; ++digit) {
    if (clashes(grid, side, static_cast<int>(blank), digit)) continue;
    grid[blank] = digit;
    count += solutions(grid, side, limit - count);
    grid[blank] = '.';
  }
  return count;
}

int givens(const std::string& prompt) {
  return static_cast<int>(prompt.size() - static_cast<size_t>(std::count(prompt.begin(), prompt.end(), '.')));
}

struct Seen {
  std::set<std::string> grids, prompts;
  std::set<int> givens;
};

// Checks each puzzle on its own and collects them.
Seen generate(const SudokuGenerator::Config& config, Split split, int count) {
  const SudokuGenerator generator(config);
  Seen seen;
  for (int i = 0; i < count; ++i) {
    const SudokuPuzzle puzzle = generator.puzzle(split, static_cast<std::uint64_t>(i));
    EXPECT_TRUE(valid(puzzle.solution, config.side)) << puzzle.solution;
    EXPECT_EQ(puzzle.prompt.size(), puzzle.solution.size());
    for (size_t cell = 0; cell < puzzle.prompt.size(); ++cell) {
      if (puzzle.prompt[cell] != '.') {
        EXPECT_EQ(puzzle.prompt[cell], puzzle.solution[cell]);
      }
    }
    EXPECT_GE(givens(puzzle.prompt), config.least);
    EXPECT_LE(givens(puzzle.prompt), config.most);
    seen.grids.insert(puzzle.solution);
    seen.prompts.insert(puzzle.prompt);
    seen.givens.insert(givens(puzzle.prompt));
  }
  return seen;
}

template <class T>
std::vector<T> common(const std::set<T>& a, const std::set<T>& b) {
  std::vector<T> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

// Different seeds, so that not one stream's luck is looked at.
void expect_disjoint(int side, int least, int most, bool unique, int count) {
  std::vector<Seen> seen;
  for (const Split split : kSplits) {
    const auto seed = static_cast<std::uint64_t>(split) + 1;
    seen.push_back(generate({side, least, most, unique, seed}, split, count));
    if (!unique) {
      EXPECT_EQ(seen.back().givens.size(), static_cast<size_t>(most - least + 1)) << split_name(split);
    }
  }
  for (int a = 0; a < 3; ++a) {
    for (int b = a + 1; b < 3; ++b) {
      EXPECT_TRUE(common(seen[a].grids, seen[b].grids).empty()) << side << " grids " << a << b;
      EXPECT_TRUE(common(seen[a].prompts, seen[b].prompts).empty()) << side << " prompts " << a << b;
    }
  }
}

TEST(SudokuGenerator, GridsAndPromptsOf6x6AreDisjoint) {
  expect_disjoint(6, 6, 24, false, 20000);
}
TEST(SudokuGenerator, GridsAndPromptsOf6x6AreDisjointWithVeryFewGivens) {
  expect_disjoint(6, 1, 3, false, 1000);
}
TEST(SudokuGenerator, GridsAndPromptsOf6x6AreDisjointWhenFull) {
  expect_disjoint(6, 34, 36, false, 300);
}
TEST(SudokuGenerator, GridsAndPromptsOf9x9AreDisjoint) {
  expect_disjoint(9, 24, 60, false, 1000);
}
TEST(SudokuGenerator, UniquePuzzlesAreDisjointToo) {
  expect_disjoint(6, 8, 24, true, 500);
}

TEST(SudokuGenerator, PromptsOf4x4AreDisjointFromFourGivensUp) {
  std::vector<Seen> seen;
  for (const Split split : kSplits) seen.push_back(generate({4, 4, 16, false, 1}, split, 20000));
  for (int a = 0; a < 3; ++a) {
    EXPECT_EQ(seen[a].givens.size(), 13U);
    for (int b = a + 1; b < 3; ++b) EXPECT_TRUE(common(seen[a].prompts, seen[b].prompts).empty()) << a << b;
  }
  EXPECT_GT(common(seen[0].grids, seen[2].grids).size(), 200U);  // of 288: these cannot be
}

TEST(SudokuGenerator, EveryGridOf4x4Comes) {
  std::string blank(16, '.');
  ASSERT_EQ(solutions(blank, 4, 1000), 288);
  EXPECT_EQ(generate({4, 0, 8, false, 1}, Split::kTrain, 5000).grids.size(), 288U);
}

// Fewer than four givens are too few prompts to share out, and all of them can be asked in a test.
TEST(SudokuGenerator, The4x4PuzzleWithoutGivensIsInEverySplit) {
  for (const Split split : kSplits) {
    const Seen seen = generate({4, 0, 0, false, 1}, split, 300);
    EXPECT_EQ(seen.prompts.size(), 1U);
    EXPECT_GT(seen.grids.size(), 100U);
  }
}

TEST(SudokuGenerator, UniquePuzzlesHaveOneSolution) {
  for (const auto& [side, least, most, count] :
       {std::tuple{4, 4, 8, 300}, {6, 8, 24, 300}, {6, 8, 10, 20}, {9, 28, 60, 20}}) {
    const SudokuGenerator generator({side, least, most, true, 3});
    for (int i = 0; i < count; ++i) {
      SudokuPuzzle puzzle = generator.puzzle(Split::kTest, static_cast<std::uint64_t>(i));
      EXPECT_EQ(solutions(puzzle.prompt, side, 2), 1) << puzzle.prompt;
      EXPECT_LE(givens(puzzle.prompt), most);
    }
  }
}

// Otherwise the test above would see nothing.
TEST(SudokuGenerator, OtherPuzzlesOftenHaveSeveral) {
  const SudokuGenerator generator({6, 8, 12, false, 3});
  int several = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    std::string prompt = generator.puzzle(Split::kTrain, i).prompt;
    several += solutions(prompt, 6, 2) > 1 ? 1 : 0;
  }
  EXPECT_GT(several, 80);
}

TEST(SudokuGenerator, APuzzleDependsOnSeedSplitAndIndexAlone) {
  const SudokuGenerator one({6, 6, 24, false, 1}), again({6, 6, 24, false, 1}), other({6, 6, 24, false, 2});
  EXPECT_EQ(again.puzzle(Split::kTest, 70).prompt, one.puzzle(Split::kTest, 70).prompt);
  for (std::uint64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(one.puzzle(Split::kTrain, i).prompt, again.puzzle(Split::kTrain, i).prompt);
    EXPECT_EQ(one.puzzle(Split::kTrain, i).solution, again.puzzle(Split::kTrain, i).solution);
    EXPECT_NE(one.puzzle(Split::kTrain, i).solution, other.puzzle(Split::kTrain, i).solution);
    EXPECT_NE(one.puzzle(Split::kTrain, i).solution, one.puzzle(Split::kTrain, i + 1).solution);
  }
}

TEST(SudokuGenerator, SearchFindsAllSolutions) {
  const SudokuGenerator generator({6, 10, 14, false, 5});
  for (std::uint64_t i = 0; i < 20; ++i) {
    std::string prompt = generator.puzzle(Split::kTrain, i).prompt;
    EXPECT_EQ(static_cast<int>(SudokuSearch(prompt, *sudoku_shape(36)).solutions(500).size()),
              solutions(prompt, 6, 500));
  }
  EXPECT_EQ(SudokuSearch("12..34..........", *sudoku_shape(16)).solutions(1).size(), 1U);
  EXPECT_TRUE(SudokuSearch("12....34........", *sudoku_shape(16)).solutions(1).empty());
  EXPECT_TRUE(SudokuSearch("123....4........", *sudoku_shape(16)).solutions(1).empty());
}

std::string refused(const SudokuGenerator::Config& config) {
  try {
    SudokuGenerator generator(config);
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(SudokuGenerator, RefusesRangesWithoutPuzzles) {
  EXPECT_THAT(refused({6, 7, 6, false, 1}),
              HasSubstr("1 <= least <= most <= 36 for 6x6 puzzles, got [7, 6]"));
  EXPECT_THAT(refused({6, 0, 6, false, 1}), HasSubstr("1 <= least"));
  EXPECT_THAT(refused({6, 6, 37, false, 1}), HasSubstr("<= 36"));
  EXPECT_THAT(refused({4, 3, 6, true, 1}), HasSubstr("4 <= least <= most <= 16 for unique 4x4 puzzles"));
  EXPECT_THAT(refused({9, 16, 30, true, 1}), HasSubstr("17 <= least"));
  EXPECT_EQ(refused({4, 0, 16, false, 1}), "accepted");
  EXPECT_EQ(refused({6, 36, 36, false, 1}), "accepted");
}

// Puzzles of 17 givens are known, but far too rare to be met.
TEST(SudokuGenerator, GivesUpOnPuzzlesThatAreTooRare) {
  EXPECT_THAT(
      refused({9, 17, 17, true, 1, /*grids=*/3}),
      HasSubstr("found no 9x9 puzzle of the train split with 17 to 17 givens and one solution in 3 grids"));
}

}  // namespace
}  // namespace canvaslab
