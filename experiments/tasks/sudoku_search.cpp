#include "experiments/tasks/sudoku_search.h"

#include <bit>

namespace canvaslab {

SudokuSearch::SudokuSearch(const std::string& puzzle, const SudokuShape& shape) : shape_(shape) {
  digits_.fill(-1);
  for (int cell = 0; cell < shape.cells(); ++cell) {
    if (puzzle[static_cast<size_t>(cell)] != '.') put(cell, puzzle[static_cast<size_t>(cell)] - '1');
  }
}

std::vector<std::string> SudokuSearch::solutions(int limit) {
  found_.clear();
  search(static_cast<size_t>(limit), nullptr);
  return found_;
}

std::string SudokuSearch::random_solution(ExampleRandom& random) {
  found_.clear();
  search(1, &random);
  return found_.empty() ? "" : found_.front();
}

void SudokuSearch::search(size_t limit, ExampleRandom* random) {
  const int cell = tightest_cell();
  if (cell < 0) {
    std::string grid;
    for (int i = 0; i < shape_.cells(); ++i) grid += static_cast<char>('1' + digits_[i]);
    found_.push_back(std::move(grid));
    return;
  }
  std::array<int, 9> digits;
  size_t count = 0;
  for (unsigned left = candidates(cell); left != 0; left &= left - 1)
    digits[count++] = std::countr_zero(left);
  if (random) random->shuffle(std::span(digits.data(), count));
  for (size_t i = 0; i < count && found_.size() < limit; ++i) {
    put(cell, digits[i]);
    search(limit, random);
    take(cell);
  }
}

int SudokuSearch::tightest_cell() const {
  int best = -1, fewest = 10;
  for (int cell = 0; cell < shape_.cells() && fewest > 1; ++cell) {
    if (digits_[cell] >= 0) continue;
    const int count = std::popcount(candidates(cell));
    if (count < fewest) best = cell, fewest = count;
  }
  return best;
}

unsigned SudokuSearch::candidates(int cell) const {
  const unsigned taken = rows_[cell / shape_.side] | columns_[cell % shape_.side] | boxes_[shape_.box(cell)];
  return ((1U << shape_.side) - 1) & ~taken;
}

void SudokuSearch::put(int cell, int digit) {
  digits_[cell] = static_cast<signed char>(digit);
  rows_[cell / shape_.side] |= 1U << digit;
  columns_[cell % shape_.side] |= 1U << digit;
  boxes_[shape_.box(cell)] |= 1U << digit;
}

void SudokuSearch::take(int cell) {
  const unsigned others = ~(1U << digits_[cell]);
  digits_[cell] = -1;
  rows_[cell / shape_.side] &= others;
  columns_[cell % shape_.side] &= others;
  boxes_[shape_.box(cell)] &= others;
}

}  // namespace canvaslab
