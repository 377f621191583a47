#include "experiments/tasks/sudoku_grid.h"

#include <array>
#include <bit>

namespace canvaslab {

std::optional<SudokuShape> sudoku_shape(size_t cells) {
  if (cells == 16) return SudokuShape{4, 2, 2};
  if (cells == 36) return SudokuShape{6, 2, 3};
  if (cells == 81) return SudokuShape{9, 3, 3};
  return std::nullopt;
}

int sudoku_violations(const std::string& grid, const SudokuShape& shape) {
  std::array<std::array<unsigned, 9>, 3> seen{};  // by kind of unit and number: a bit for each digit
  for (int cell = 0; cell < shape.cells() && cell < static_cast<int>(grid.size()); ++cell) {
    const int digit = grid[static_cast<size_t>(cell)] - '1';
    if (digit < 0 || digit >= shape.side) continue;
    seen[0][cell / shape.side] |= 1U << digit;
    seen[1][cell % shape.side] |= 1U << digit;
    seen[2][shape.box(cell)] |= 1U << digit;
  }
  int lacking = 0;
  for (const auto& units : seen) {
    for (int unit = 0; unit < shape.side; ++unit) lacking += shape.side - std::popcount(units[unit]);
  }
  return lacking;
}

}  // namespace canvaslab
