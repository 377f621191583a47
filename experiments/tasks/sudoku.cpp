// Sudoku grids: the prompt is a puzzle ('.' = blank), the answer a filled grid. An answer is right when every
// row, column and box holds each digit once and the givens are kept; a puzzle with few givens has many right
// answers.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/registry.h"
#include "experiments/tasks/answer_metrics.h"
#include "experiments/tasks/prompt_file.h"
#include "experiments/tasks/sudoku_generator.h"
#include "experiments/tasks/sudoku_grid.h"
#include "experiments/tasks/task.h"

namespace canvaslab {
namespace {

// Givens of the puzzles of a side, unless they are configured. Fewer than 4 or 8 leave several solutions.
std::vector<int> usual_givens(int side, bool unique) {
  if (side == 4) return {unique ? 4 : 0, 8};
  if (side == 6) return {unique ? 8 : 6, 24};
  return {24, 60};
}

class Sudoku : public Task {
 public:
  struct Config {
    std::optional<std::string> file;
    std::optional<int> side;
    std::optional<std::vector<int>> givens;
    bool unique = false;
    Split split = Split::kTest;
    std::uint64_t seed = 1;
    std::optional<int> samples = 64;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("file", file, {.meaning = "JSON lines with puzzles; null: prompts.jsonl of the checkpoint"});
      visit("side", side,
            {.unit = "cells", .meaning = "4, 6 or 9: generate puzzles instead; null: a file's"});
      visit("givens", givens,
            {.unit = "cells",
             .meaning = "[least, most] in a generated puzzle; null: [0, 8] (unique: [4, 8]), [6, 24] "
                        "(unique: [8, 24]) or "
                        "[24, 60], by side",
             .minimum = 0});
      visit("unique", unique,
            {.meaning = "generated puzzles have one solution (more givens where few would allow several)"});
      visit_split(visit, split);
      visit("seed", seed, {.meaning = "which puzzles are generated", .minimum = 0});
      visit("samples", samples,
            {.unit = "prompts", .meaning = "how many of them to take; null: all of a file", .minimum = 1});
    }
  };

  explicit Sudoku(const Config& config) : config_(config) {
    if (config.side) {
      generator_.emplace(generation(config));
    } else if (config.givens || config.unique) {
      throw ConfigurationError("givens and unique are for generated puzzles; expected `side` too");
    }
  }

  std::vector<TaskItem> items(const std::filesystem::path& model_folder) const override {
    if (generator_)
      return as_wrong_input([&] { return first_examples(*this, config_.split, *config_.samples); });
    const std::filesystem::path file = prompts(model_folder);
    std::vector<TaskItem> all = read_prompts(file);
    for (TaskItem& item : all) {
      if (!sudoku_shape(item.prompt.size())) {
        throw ConfigurationError(fmt::format("{}: puzzle {} has {} cells, expected 16, 36 or 81",
                                             file.string(), item.id, item.prompt.size()));
      }
      item.difficulty = blanks(item.prompt);
    }
    return first_of(std::move(all), config_.samples);
  }

  void check_files(const std::filesystem::path& model_folder) const override {
    if (generator_ || (!config_.file && model_folder.empty())) return;
    check_prompt_file(prompts(model_folder));
  }

  std::optional<TaskItem> example(Split split, std::uint64_t index) const override {
    if (!generator_) return std::nullopt;
    SudokuPuzzle puzzle = generator_->puzzle(split, index);
    const double difficulty = blanks(puzzle.prompt);
    return TaskItem{fmt::format("{}-{}", split_name(split), index), std::move(puzzle.prompt),
                    std::move(puzzle.solution), difficulty};
  }

  std::optional<bool> grade(const TaskItem& item, const std::string& answer) const override {
    return answer.size() == item.prompt.size() && kept(item.prompt, answer) == 1 &&
           sudoku_violations(answer, *sudoku_shape(item.prompt.size())) == 0;
  }

  // The target is only one of the right answers: with few givens a right grid may share little with it.
  Metrics measure(const TaskItem& item, const std::string& answer) const override {
    const int violations = sudoku_violations(answer, *sudoku_shape(item.prompt.size()));
    Metrics metrics{{"valid_grid", violations == 0 ? 1.0 : 0.0, MetricKind::kShare},
                    {"violations", static_cast<double>(violations)},
                    {"givens_kept", kept(item.prompt, answer)}};
    for (Metric& metric : Task::measure(item, answer)) metrics.push_back(std::move(metric));
    return metrics;
  }

  // Of prompts with few givens: whether the model knows many grids or one by heart.
  Metrics measure_together(const std::vector<TaskAnswer>& answers) const override {
    std::set<std::string> grids;
    for (const TaskAnswer& answer : answers)
      if (*grade(answer.item, answer.text)) grids.insert(answer.text);
    return {{"distinct_right_grids", static_cast<double>(grids.size())}};
  }

  std::string difficulty_unit() const override { return "blanks"; }

  std::vector<std::string> symbols() const override {
    std::vector<std::string> all;
    for (int digit = 1; digit <= config_.side.value_or(0); ++digit) all.push_back(std::to_string(digit));
    if (config_.side) all.emplace_back(".");
    return all;
  }

  std::optional<std::int64_t> canvas_length() const override {
    if (!config_.side) return std::nullopt;
    return *config_.side * *config_.side;
  }
  std::optional<std::int64_t> longest_prompt() const override { return canvas_length(); }

 private:
  static SudokuGenerator::Config generation(const Config& config) {
    const int side = *config.side;
    if (side != 4 && side != 6 && side != 9)
      throw ConfigurationError(fmt::format("side: expected 4, 6 or 9, got {}", side));
    if (config.file) throw ConfigurationError("sudoku takes either `side` or `file`");
    if (!config.samples)
      throw ConfigurationError("samples: generated puzzles have no end, expected a number, got null");
    const std::vector<int> givens = config.givens.value_or(usual_givens(side, config.unique));
    if (givens.size() != 2) {
      throw ConfigurationError(fmt::format("givens: expected [least, most], got {} numbers", givens.size()));
    }
    return {side, givens[0], givens[1], config.unique, config.seed};
  }

  std::filesystem::path prompts(const std::filesystem::path& model_folder) const {
    return config_.file ? std::filesystem::path(*config_.file) : model_folder / "prompts.jsonl";
  }

  static double blanks(const std::string& puzzle) {
    return static_cast<double>(std::count(puzzle.begin(), puzzle.end(), '.'));
  }

  // The share of the givens that the answer has; 1 without givens.
  static double kept(const std::string& puzzle, const std::string& answer) {
    int givens = 0, same = 0;
    for (size_t i = 0; i < puzzle.size(); ++i) {
      if (puzzle[i] == '.') continue;
      ++givens;
      same += i < answer.size() && answer[i] == puzzle[i] ? 1 : 0;
    }
    return givens == 0 ? 1 : static_cast<double>(same) / givens;
  }

  Config config_;
  std::optional<SudokuGenerator> generator_;
};

}  // namespace

CANVASLAB_REGISTER(Task, Sudoku, "sudoku", "fills 4x4, 6x6 and 9x9 grids; right when the rules hold", "");

}  // namespace canvaslab
