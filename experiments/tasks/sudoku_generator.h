// Makes Sudoku puzzles with their solutions. The splits are disjoint by construction: of 6x6 and 9x9 puzzles
// both the grid and the prompt belong to the split by their hash (split.h). There are only 288 grids of 4x4,
// so there only the prompt does, from four givens up: fewer givens leave too few prompts to share out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/tasks/example_random.h"
#include "experiments/tasks/sudoku_grid.h"

namespace canvaslab {

struct SudokuPuzzle {
  std::string prompt, solution;
};

class SudokuGenerator {
 public:
  struct Config {
    int side;         // 4, 6 or 9
    int least, most;  // givens
    bool unique;      // one solution
    std::uint64_t seed;
    int grids = 500;  // drawn for a puzzle before giving up
  };

  // ConfigurationError for a range of givens that has no puzzles.
  explicit SudokuGenerator(const Config& config);

  // The number of givens is drawn first, each in [least, most] equally likely. With `unique`, cells are
  // blanked down to that number as long as the solution stays the only one, so puzzles end with more givens
  // where fewer are rare; none has more than `most`. Error when no such puzzle is found in `grids` grids.
  SudokuPuzzle puzzle(Split split, std::uint64_t index) const;

 private:
  std::string draw_grid(Split split, ExampleRandom& random) const;
  // The grid with all but `givens` cells blanked, in an order drawn; nothing when it is not of the split.
  std::optional<std::string> draw_prompt(const std::string& grid, int givens, Split split,
                                         ExampleRandom& random) const;
  // Whether the puzzle still has one solution with this cell blanked.
  bool still_unique(std::string puzzle, int cell) const;

  Config config_;
  SudokuShape shape_;
  std::vector<std::string> all_grids_;  // of 4x4
};

}  // namespace canvaslab
