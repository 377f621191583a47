// Sudoku grids as text, row by row: digits from '1', '.' for a blank.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace canvaslab {

struct SudokuShape {
  int side, box_rows, box_columns;

  int cells() const { return side * side; }
  int box(int cell) const {
    return cell / side / box_rows * (side / box_columns) + cell % side / box_columns;
  }
};

// 4x4 grids have boxes of 2 x 2, 6x6 of 2 rows x 3 columns, 9x9 of 3 x 3; nothing for other sizes.
std::optional<SudokuShape> sudoku_shape(size_t cells);

// How often the rules are broken: the digits that rows, columns and boxes lack, added up. 0 for a right grid,
// and for no other; a grid that is too short counts as blank behind its end.
int sudoku_violations(const std::string& grid, const SudokuShape& shape);

}  // namespace canvaslab
