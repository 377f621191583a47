// Comparisons of made-up cells: which are compared, with which, and what the table says of the others.
#include "experiments/sweep/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "core/error.h"

namespace canvaslab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

RunMetrics graded(const std::string& grades, const std::string& first_prompt = "?") {
  RunMetrics metrics;
  const std::vector<TokenId> tokens{1, 2};
  // Backwards: samples finish in any order.
  for (std::uint64_t sample = grades.size(); sample-- > 0;) {
    metrics.add({.sample = sample,
                 .correct = grades[sample] == '.' ? -1 : grades[sample] - '0',
                 .canvases = 1,
                 .passes = 4,
                 .generated = 2,
                 .tokens = tokens,
                 .prompt = sample == 0 ? first_prompt : "same"});
  }
  return metrics;
}

TableRow row(int number, std::vector<std::string> overrides, std::optional<RunMetrics> metrics) {
  TableRow row;
  row.cell.number = number;
  row.cell.overrides = std::move(overrides);
  row.record.state = metrics ? CellState::kFinished : CellState::kFailed;
  row.record.metrics = std::move(metrics);
  row.record.seconds = 1.5;
  return row;
}

std::vector<TableRow> grid() {
  return {row(0, {"seed=1", "noise=a", "bound=1"}, graded("1100")),
          row(1, {"seed=1", "noise=a", "bound=2"}, graded("1110")),
          row(2, {"seed=1", "noise=b", "bound=1"}, graded("0111")),
          row(3, {"seed=1", "noise=b", "bound=2"}, graded("0000"))};
}

std::string text_of(const Comparison& comparison) {
  std::ostringstream out;
  print_comparison(comparison, out);
  return out.str();
}

std::string refusal(const std::string& baseline) {
  try {
    const std::vector<TableRow> rows = grid();
    compare(rows, baseline);
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(RunMetricsGrades, StandInTheOrderOfTheSamples) {
  EXPECT_EQ(graded("10.1").grades, "10.1");
  EXPECT_EQ(graded("10").prompts, graded("01").prompts);
  EXPECT_NE(graded("10").prompts, graded("10", "other").prompts);
}

TEST(Comparisons, TellWhatWasSweptAndCompareWithTheFirst) {
  const std::vector<TableRow> rows = grid();
  const Comparison comparison = compare(rows, "");
  EXPECT_THAT(comparison.keys, ElementsAre("noise", "bound"));
  ASSERT_EQ(comparison.cells.size(), 4U);
  EXPECT_THAT(comparison.cells[2].values, ElementsAre("b", "1"));
  EXPECT_EQ(comparison.cells[0].baseline, 0);
  EXPECT_FALSE(comparison.cells[0].difference);
  EXPECT_EQ(comparison.cells[2].difference->gained, 2);
  EXPECT_EQ(comparison.cells[2].difference->lost, 1);
  EXPECT_DOUBLE_EQ(comparison.cells[3].difference->difference, -0.5);
  EXPECT_DOUBLE_EQ(comparison.cells[1].quality.low, wilson(3, 4).low);
}

TEST(Comparisons, TakeACellOrAValueAsBaseline) {
  const std::vector<TableRow> rows = grid();
  EXPECT_DOUBLE_EQ(compare(rows, "3").cells[0].difference->difference, 0.5);
  const Comparison twins = compare(rows, "noise=a");
  EXPECT_EQ(twins.cells[1].baseline, 1);
  EXPECT_EQ(twins.cells[2].baseline, 0);
  EXPECT_EQ(twins.cells[3].baseline, 1);
  EXPECT_DOUBLE_EQ(twins.cells[3].difference->difference, -0.75);
}

TEST(Comparisons, RefuseABaselineThatIsNotThere) {
  EXPECT_THAT(refusal("4"), HasSubstr("expected a cell, 0 to 3"));
  EXPECT_THAT(refusal("x"), HasSubstr("a cell's number or KEY=VALUE"));
  EXPECT_THAT(refusal("nois=a"), HasSubstr("noise"));
  EXPECT_THAT(refusal("noise=c"), HasSubstr("expected one of a, b"));
  std::vector<TableRow> rows = grid();
  rows[1] = row(1, rows[1].cell.overrides, std::nullopt);
  EXPECT_THROW(compare(rows, "1"), ConfigurationError);
}

TEST(Comparisons, LeaveOutDifferencesBetweenOtherQuestions) {
  std::vector<TableRow> rows = grid();
  rows[1].record.metrics = graded("1100", "other");
  rows[2].record.metrics = graded("11.0");
  rows[3].record.metrics->grades.clear();
  const Comparison comparison = compare(rows, "");
  for (size_t i = 1; i < 4; ++i) EXPECT_FALSE(comparison.cells[i].difference) << i;
  EXPECT_THAT(text_of(comparison),
              HasSubstr("no difference for cell 1, 2: other prompts than those of cell 0 were graded"));
  EXPECT_THAT(text_of(comparison), HasSubstr("no difference for cell 3: the grades of single samples"));
  rows = grid();
  rows[0] = row(0, rows[0].cell.overrides, std::nullopt);
  EXPECT_THAT(text_of(compare(rows, "noise=a")),
              HasSubstr("no difference for cell 2: no finished cell differs from it in noise=a alone"));
}

TEST(Comparisons, PrintAlignedLines) {
  const std::vector<TableRow> rows = grid();
  const std::string text = text_of(compare(rows, ""));
  EXPECT_THAT(text, HasSubstr("cell  noise  bound  right %"));
  EXPECT_THAT(text, HasSubstr("   0      a      1     50.0  "));
  EXPECT_THAT(text, HasSubstr("baseline"));
  EXPECT_THAT(text, HasSubstr("  ##########  "));
  const std::vector<TableRow> alone{rows[0]};
  EXPECT_EQ(text_of(compare(alone, "")), "");
}

}  // namespace
}  // namespace canvaslab
