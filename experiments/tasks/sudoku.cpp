// Sudoku grids: the prompt is a puzzle ('.' = blank), the answer a filled grid. An answer is right when every
// row, column and box holds each digit once and the givens are kept; a puzzle with few givens has many right
// answers.
#include <fmt/format.h>

#include <set>

#include "core/error.h"
#include "core/registry.h"
#include "experiments/tasks/prompt_file.h"
#include "experiments/tasks/task.h"

namespace canvaslab {
namespace {

struct Shape {
  int side, box_rows, box_columns;
};

// 4x4 grids have boxes of 2 x 2, 6x6 of 2 rows x 3 columns, 9x9 of 3 x 3.
std::optional<Shape> shape_of(size_t cells) {
  if (cells == 16) return Shape{4, 2, 2};
  if (cells == 36) return Shape{6, 2, 3};
  if (cells == 81) return Shape{9, 3, 3};
  return std::nullopt;
}

bool valid(const std::string& grid, const Shape& shape) {
  std::set<std::tuple<char, int, char>> seen;  // unit kind, unit number, digit
  for (int cell = 0; cell < shape.side * shape.side; ++cell) {
    const int row = cell / shape.side, column = cell % shape.side;
    const int box = row / shape.box_rows * (shape.side / shape.box_columns) + column / shape.box_columns;
    const char digit = grid[cell];
    if (digit < '1' || digit > '0' + shape.side) return false;
    if (!seen.insert({'r', row, digit}).second || !seen.insert({'c', column, digit}).second ||
        !seen.insert({'b', box, digit}).second) {
      return false;
    }
  }
  return true;
}

class Sudoku : public Task {
 public:
  struct Config {
    std::optional<std::string> file;
    std::optional<int> samples = 64;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("file", file, {.meaning = "JSON lines with puzzles; null: prompts.jsonl of the checkpoint"});
      visit("samples", samples,
            {.unit = "prompts", .meaning = "how many of them to take; null: all", .minimum = 1});
    }
  };

  explicit Sudoku(const Config& config) : config_(config) {}

  std::vector<TaskItem> items(const std::filesystem::path& model_folder) const override {
    const std::filesystem::path file =
        config_.file ? std::filesystem::path(*config_.file) : model_folder / "prompts.jsonl";
    std::vector<TaskItem> all = read_prompts(file);
    for (const TaskItem& item : all) {
      if (!shape_of(item.prompt.size())) {
        throw ConfigurationError(fmt::format("{}: puzzle {} has {} cells, expected 16, 36 or 81",
                                             file.string(), item.id, item.prompt.size()));
      }
    }
    return first_of(std::move(all), config_.samples);
  }

  std::optional<bool> grade(const TaskItem& item, const std::string& answer) const override {
    if (answer.size() != item.prompt.size()) return false;
    for (size_t i = 0; i < answer.size(); ++i) {
      if (item.prompt[i] != '.' && item.prompt[i] != answer[i]) return false;
    }
    return valid(answer, *shape_of(item.prompt.size()));
  }

 private:
  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(Task, Sudoku, "sudoku", "fills 4x4, 6x6 and 9x9 grids; right when the rules hold", "");

}  // namespace canvaslab
