// Completes Sudoku grids by backtracking over the cell with the fewest candidates.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "experiments/tasks/example_random.h"
#include "experiments/tasks/sudoku_grid.h"

namespace canvaslab {

class SudokuSearch {
 public:
  // `puzzle` must have the shape's cells and no digit twice in a unit.
  SudokuSearch(const std::string& puzzle, const SudokuShape& shape);

  // Up to `limit` grids that complete the puzzle: all of them when there are fewer.
  std::vector<std::string> solutions(int limit);

  // One grid that completes the puzzle, the candidates of each cell tried in random order: every grid can
  // come, not all equally often. "" when there is none.
  std::string random_solution(ExampleRandom& random);

 private:
  // Fills the rest in every way until `limit` grids are found.
  void search(size_t limit, ExampleRandom* random);
  // The blank cell with the fewest candidates, or -1 when there is no blank.
  int tightest_cell() const;
  unsigned candidates(int cell) const;
  void put(int cell, int digit);
  void take(int cell);

  SudokuShape shape_;
  std::array<signed char, 81> digits_{};                  // -1: blank
  std::array<unsigned, 9> rows_{}, columns_{}, boxes_{};  // a bit for each digit that is there
  std::vector<std::string> found_;
};

}  // namespace canvaslab
