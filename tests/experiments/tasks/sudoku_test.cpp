// The task `sudoku`: right when the rules hold and the givens are kept, whatever the known solution is.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "experiments/tasks/task.h"
#include "tests/options.h"
#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

// Grids checked by hand; the 6x6 one has boxes of 2 rows and 3 columns.
const std::string kFour =
    "1234"
    "3412"
    "2143"
    "4321";
const std::string kSix =
    "123456"
    "456123"
    "231564"
    "564231"
    "312645"
    "645312";
const std::string kNine =
    "534678912"
    "672195348"
    "198342567"
    "859761423"
    "426853791"
    "713924856"
    "961537284"
    "287419635"
    "345286179";

std::optional<bool> grade(const std::string& puzzle, const std::string& answer) {
  return build<Task>("{name: sudoku}")->grade({"0", puzzle, ""}, answer);
}

std::string blank(const std::string& grid) {
  return std::string(grid.size(), '.');
}

TEST(Sudoku, AcceptsValidGridsOfEverySize) {
  for (const std::string& grid : {kFour, kSix, kNine}) {
    EXPECT_EQ(grade(blank(grid), grid), true);
    EXPECT_EQ(grade(grid, grid), true);
  }
}

TEST(Sudoku, AnyOneChangedCellIsWrong) {
  for (const std::string& grid : {kFour, kSix, kNine}) {
    const int side = grid.size() == 16 ? 4 : grid.size() == 36 ? 6 : 9;
    for (size_t cell = 0; cell < grid.size(); ++cell) {
      for (char digit = '0'; digit <= '9'; ++digit) {
        std::string changed = grid;
        changed[cell] = digit;
        EXPECT_EQ(grade(blank(grid), changed), digit == grid[cell])
            << "side " << side << " cell " << cell << " " << digit;
      }
    }
  }
}

// Every digit renamed is a valid grid again, so several answers of a puzzle can be right.
TEST(Sudoku, AnotherSolutionIsRightToo) {
  std::string swapped = kSix;
  for (char& digit : swapped) digit = digit == '1' ? '2' : digit == '2' ? '1' : digit;
  EXPECT_EQ(build<Task>("{name: sudoku}")->grade({"0", blank(kSix), kSix}, swapped), true);
}

TEST(Sudoku, GivensMustBeKept) {
  std::string puzzle = blank(kFour);
  puzzle[3] = '4';
  EXPECT_EQ(grade(puzzle, kFour), true);
  std::string swapped = kFour;
  for (char& digit : swapped) digit = digit == '4' ? '1' : digit == '1' ? '4' : digit;
  EXPECT_EQ(grade(blank(kFour), swapped), true);
  EXPECT_EQ(grade(puzzle, swapped), false);
}

// Rows and columns alone do not make a grid: each of these breaks only one kind of unit.
TEST(Sudoku, RowsColumnsAndBoxesAllCount) {
  EXPECT_EQ(grade(blank(kFour),
                  "1234"
                  "2341"
                  "3412"
                  "4123"),
            false);  // rows and columns hold, boxes do not
  EXPECT_EQ(grade(blank(kFour),
                  "1234"
                  "3412"
                  "1234"
                  "3412"),
            false);  // rows and boxes hold, columns do not
  EXPECT_EQ(grade(blank(kFour),
                  "1313"
                  "2424"
                  "3131"
                  "4242"),
            false);  // columns and boxes hold, rows do not
}

TEST(Sudoku, AnythingElseIsWrong) {
  EXPECT_EQ(grade(blank(kFour), ""), false);
  EXPECT_EQ(grade(blank(kFour), kFour.substr(1)), false);
  EXPECT_EQ(grade(blank(kFour), kFour + "1"), false);
  EXPECT_EQ(grade(blank(kFour), blank(kFour)), false);
  EXPECT_EQ(grade(blank(kFour), std::string(16, 'x')), false);
}

class SudokuFile : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  TemporaryFolder folder_;
};

TEST_F(SudokuFile, PuzzlesComeFromTheCheckpointUnlessAFileIsNamed) {
  write("prompts.jsonl", fmt::format("{{\"prompt\": \"{}\"}}\n", blank(kFour)));
  write("own.jsonl", fmt::format("{{\"prompt\": \"{}\", \"one_solution\": \"{}\"}}\n", blank(kSix), kSix));
  EXPECT_EQ(build<Task>("{name: sudoku}")->items(folder_.path()).at(0).prompt, blank(kFour));
  const auto own = build<Task>(fmt::format("{{name: sudoku, file: '{}'}}", (folder_ / "own.jsonl").string()))
                       ->items(folder_.path());
  EXPECT_EQ(own.at(0).prompt, blank(kSix));
  EXPECT_EQ(own.at(0).target, kSix);
}

TEST_F(SudokuFile, SamplesTakesThatMany) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += fmt::format("{{\"prompt\": \"{}\"}}\n", blank(kFour));
  write("prompts.jsonl", text);
  for (const auto& [setting, count] : {std::pair{"{name: sudoku}", 64U},
                                       {"{name: sudoku, samples: 3}", 3U},
                                       {"{name: sudoku, samples: null}", 100U},
                                       {"{name: sudoku, samples: 500}", 100U}}) {
    EXPECT_EQ(build<Task>(setting)->items(folder_.path()).size(), count) << setting;
  }
}

TEST_F(SudokuFile, RefusesWhatIsNoGrid) {
  write("prompts.jsonl", fmt::format("{{\"prompt\": \"{}\"}}\n{{\"prompt\": \"12..\"}}\n", blank(kFour)));
  try {
    build<Task>("{name: sudoku}")->items(folder_.path());
    FAIL() << "accepted";
  } catch (const ConfigurationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("puzzle 1 has 4 cells, expected 16, 36 or 81"));
  }
  EXPECT_THROW(build<Task>("{name: sudoku, file: /absent/puzzles.jsonl}")->items(folder_.path()),
               ConfigurationError);
}

TEST(Sudoku, RefusesBadSettings) {
  for (const char* bad : {"samples: 0", "samples: 1.5", "file: 3", "size: 4", "side: 5", "side: -4",
                          "side: 6, givens: [6]", "side: 6, givens: [6, 7, 8]", "side: 6, givens: [-1, 7]",
                          "side: 6, givens: 7", "side: 6, file: x", "side: 6, samples: null",
                          "side: 4, split: dev", "givens: [6, 24]", "unique: true", "side: 6, seed: -1"}) {
    EXPECT_NE(refusal<Task>(fmt::format("{{name: sudoku, {}}}", bad)), "accepted") << bad;
  }
}

TEST(Sudoku, SaysWhichSettingIsWrong) {
  EXPECT_THAT(refusal<Task>("{name: sudoku, side: 5}"), HasSubstr("side: expected 4, 6 or 9, got 5"));
  EXPECT_THAT(refusal<Task>("{name: sudoku, side: 6, givens: [9, 8]}"), HasSubstr("got [9, 8]"));
  EXPECT_THAT(refusal<Task>("{name: sudoku, side: 6, split: tests}"), HasSubstr("did you mean 'test'?"));
}

TEST(Sudoku, GeneratesTheSplitThatIsAskedFor) {
  const std::string settings = "{name: sudoku, side: 6, givens: [6, 24], samples: 5";
  const auto test = build<Task>(settings + "}");
  const auto train = build<Task>(settings + ", split: train}");
  const auto items = test->items({});
  ASSERT_EQ(items.size(), 5U);
  for (std::uint64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(items[i].prompt, test->example(Split::kTest, i)->prompt);
    EXPECT_EQ(train->items({})[i].prompt, test->example(Split::kTrain, i)->prompt);
    EXPECT_EQ(items[i].id, fmt::format("test-{}", i));
    EXPECT_EQ(items[i].difficulty, std::count(items[i].prompt.begin(), items[i].prompt.end(), '.'));
    EXPECT_EQ(test->grade(items[i], items[i].target), true);
  }
  EXPECT_NE(build<Task>(settings + ", seed: 2}")->items({})[0].prompt, items[0].prompt);
}

TEST(Sudoku, UniquePuzzlesHaveUsualGivensToo) {
  for (const auto& [side, least, most] : {std::tuple{4, 4, 8}, {6, 8, 24}, {9, 24, 60}}) {
    const auto task = build<Task>(fmt::format("{{name: sudoku, side: {}, unique: true, samples: 20}}", side));
    for (const TaskItem& item : task->items({})) {
      EXPECT_LE(*item.difficulty, side * side - least);
      EXPECT_GE(*item.difficulty, side * side - most);
    }
  }
}

TEST(Sudoku, UsualGivensFollowTheSide) {
  for (const auto& [side, least, most] : {std::tuple{4, 0, 8}, {6, 6, 24}, {9, 24, 60}}) {
    const auto task = build<Task>(fmt::format("{{name: sudoku, side: {}}}", side));
    double fewest = 99, most_blanks = 0;
    for (std::uint64_t i = 0; i < 300; ++i) {
      const TaskItem item = *task->example(Split::kTrain, i);
      fewest = std::min(fewest, *item.difficulty), most_blanks = std::max(most_blanks, *item.difficulty);
    }
    EXPECT_EQ(fewest, side * side - most);
    EXPECT_EQ(most_blanks, side * side - least);
    EXPECT_EQ(task->canvas_length(), side * side);
    EXPECT_EQ(task->longest_prompt(), side * side);
    EXPECT_EQ(task->symbols().size(), static_cast<size_t>(side + 1));
  }
}

TEST(Sudoku, AFileOfPuzzlesIsNothingToTrainOn) {
  const auto task = build<Task>("{name: sudoku}");
  EXPECT_EQ(task->example(Split::kTrain, 0), std::nullopt);
  EXPECT_TRUE(task->symbols().empty());
  EXPECT_EQ(task->canvas_length(), std::nullopt);
}

TEST(Sudoku, CountsDifferentRightGrids) {
  const TaskItem any{"0", blank(kFour), ""}, first{"1", "1...............", ""};
  std::string swapped = kFour;
  for (char& digit : swapped) digit = digit == '1' ? '2' : digit == '2' ? '1' : digit;
  const auto count = [](const std::vector<TaskAnswer>& answers) {
    return build<Task>("{name: sudoku}")->measure_together(answers).at(0).value;
  };
  EXPECT_EQ(count({{any, kFour}, {any, kFour}, {any, swapped}, {any, "1"}}), 2);
  EXPECT_EQ(count({{any, kFour}, {first, kFour}, {first, swapped}}), 1);
  EXPECT_EQ(count({}), 0);
}

std::map<std::string, double> measured(const TaskItem& item, const std::string& answer) {
  std::map<std::string, double> values;
  for (const Metric& metric : build<Task>("{name: sudoku}")->measure(item, answer))
    values[metric.name] = metric.value;
  return values;
}

TEST(Sudoku, MeasuresWhatIsWrong) {
  const TaskItem item{"0", "12..............", kFour};
  EXPECT_EQ(
      measured(item, kFour),
      (std::map<std::string, double>{
          {"exact", 1}, {"givens_kept", 1}, {"token_accuracy", 1}, {"valid_grid", 1}, {"violations", 0}}));
  std::string answer = kFour;
  answer[0] = '2';  // a 1 is lacking in row, column and box
  EXPECT_EQ(measured(item, answer), (std::map<std::string, double>{{"exact", 0},
                                                                   {"givens_kept", 0.5},
                                                                   {"token_accuracy", 15.0 / 16},
                                                                   {"valid_grid", 0},
                                                                   {"violations", 3}}));
  EXPECT_EQ(measured(item, "")["violations"], 48);
  EXPECT_EQ(measured(item, kFour + "1")["valid_grid"], 1);  // too long: not right all the same
  EXPECT_EQ(measured({"0", blank(kFour), ""}, kFour).count("exact"), 0U);
  EXPECT_EQ(measured({"0", blank(kFour), ""}, kFour)["givens_kept"], 1);
}

}  // namespace
}  // namespace canvaslab
