// The finished cells of a sweep side by side: what was swept, quality and cost with their intervals, and the
// paired difference from a baseline cell.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "experiments/paired_difference.h"
#include "experiments/sweep/sweep_table.h"

namespace canvaslab {

// The keys of the first row's words whose values differ between the rows.
std::vector<std::string> swept_keys(const std::vector<TableRow>& rows);

// A row's value of a key; "-" when it has none.
std::string swept_value(const TableRow& row, const std::string& key);

struct ComparedCell {
  const TableRow* row = nullptr;    // of a finished cell, with graded samples
  std::vector<std::string> values;  // one for each key of the comparison
  Interval quality{};               // of the share of right answers, 95 %
  std::optional<int> baseline;      // the cell that it is compared with; itself where it is the baseline
  std::optional<PairedDifference> difference;
  std::string no_difference;  // why there is none; "" for a baseline
};

struct Comparison {
  std::vector<std::string> keys;  // that differ between the cells
  std::vector<ComparedCell> cells;
};

// `baseline`: "" (the first finished cell), a cell's number, or KEY=VALUE, where each cell is compared with
// the one that differs from it in that value alone. ConfigurationError when there is no such cell. `rows`
// must outlive the comparison.
Comparison compare(const std::vector<TableRow>& rows, const std::string& baseline);

// Aligned text, one line a cell. Nothing when fewer than two cells can be compared.
void print_comparison(const Comparison& comparison, std::ostream& out);

}  // namespace canvaslab
