#include "experiments/tasks/sudoku_generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "experiments/tasks/sudoku_search.h"

namespace canvaslab {
namespace {

constexpr int kPromptsAGrid = 8;  // before another grid is drawn
constexpr int kSharedOut = 4;     // givens from which prompts of 4x4 are shared out between the splits

// Fewest givens that any puzzle with one solution has (known by exhaustive search).
int fewest_unique(int side) {
  return side == 4 ? 4 : side == 6 ? 8 : 17;
}

}  // namespace

SudokuGenerator::SudokuGenerator(const Config& config)
    : config_(config), shape_(*sudoku_shape(static_cast<size_t>(config.side * config.side))) {
  const int lowest = config.unique ? fewest_unique(config.side) : config.side == 4 ? 0 : 1;
  if (config.least > config.most || config.least < lowest || config.most > shape_.cells()) {
    throw ConfigurationError(fmt::format(
        "givens: expected [least, most] with {} <= least <= most <= {} for {}{} puzzles, got [{}, {}]",
        lowest, shape_.cells(), config.unique ? "unique " : "", fmt::format("{0}x{0}", config.side),
        config.least, config.most));
  }
  if (config.side == 4) all_grids_ = SudokuSearch(std::string(16, '.'), shape_).solutions(1000);
  if (config.unique) as_wrong_input([&] { return puzzle(Split::kTrain, 0); });
}

SudokuPuzzle SudokuGenerator::puzzle(Split split, std::uint64_t index) const {
  ExampleRandom random(config_.seed, split, index);
  const int givens = random.between(config_.least, config_.most);
  for (int grid = 0; grid < config_.grids; ++grid) {
    const std::string solution = draw_grid(split, random);
    for (int attempt = 0; attempt < kPromptsAGrid; ++attempt) {
      if (auto prompt = draw_prompt(solution, givens, split, random)) return {*prompt, solution};
    }
  }
  throw Error(
      fmt::format("sudoku: found no {0}x{0} puzzle of the {1} split with {2} to {3} givens{4} in {5} "
                  "grids; expected a wider range of givens",
                  config_.side, split_name(split), config_.least, config_.most,
                  config_.unique ? " and one solution" : "", config_.grids));
}

std::string SudokuGenerator::draw_grid(Split split, ExampleRandom& random) const {
  if (config_.side == 4) return all_grids_[random.below(static_cast<std::uint32_t>(all_grids_.size()))];
  const std::string blank(static_cast<size_t>(shape_.cells()), '.');
  while (true) {
    std::string grid = SudokuSearch(blank, shape_).random_solution(random);
    if (split_of("sudoku grid", grid) == split) return grid;
  }
}

std::optional<std::string> SudokuGenerator::draw_prompt(const std::string& grid, int givens, Split split,
                                                        ExampleRandom& random) const {
  std::vector<int> order(grid.size());
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(std::span(order));
  std::string puzzle = grid;
  int left = shape_.cells();
  for (const int cell : order) {
    if (left == givens) break;
    if (config_.unique && !still_unique(puzzle, cell)) continue;
    puzzle[static_cast<size_t>(cell)] = '.';
    --left;
  }
  if (left > config_.most) return std::nullopt;
  const bool shared = config_.side == 4 && left < kSharedOut;
  if (!shared && split_of("sudoku prompt", puzzle) != split) return std::nullopt;
  return puzzle;
}

bool SudokuGenerator::still_unique(std::string puzzle, int cell) const {
  puzzle[static_cast<size_t>(cell)] = '.';
  return SudokuSearch(puzzle, shape_).solutions(2).size() == 1;
}

}  // namespace canvaslab
