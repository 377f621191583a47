#include "experiments/sweep/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "core/nearest.h"

namespace canvaslab {
namespace {

using Words = std::vector<std::string>;

std::string key_of(const std::string& word) {
  return word.substr(0, word.find('='));
}

std::string value_of(const Words& words, const std::string& key) {
  for (const std::string& word : words)
    if (key_of(word) == key) return word.size() == key.size() ? "" : word.substr(key.size() + 1);
  return "-";
}

// The baseline is one cell for all, or a word that makes a cell's words its baseline's.
struct Baseline {
  std::optional<int> cell;
  std::string word;
};

Baseline numbered_baseline(const std::vector<TableRow>& rows, int number) {
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const TableRow& one) { return one.cell.number == number; });
  if (row == rows.end()) {
    throw ConfigurationError(
        fmt::format("--baseline {}: expected a cell, 0 to {}", number, static_cast<int>(rows.size()) - 1));
  }
  if (!row->record.metrics || row->record.metrics->graded == 0) {
    throw ConfigurationError(
        fmt::format("--baseline {0}: expected a finished, graded cell; cell {0} is {1}", number,
                    row->record.metrics ? "without any graded sample" : cell_state_name(row->record.state)));
  }
  return {number, ""};
}

Baseline swept_baseline(const std::vector<TableRow>& rows, const Words& keys, const std::string& word) {
  const std::string key = key_of(word);
  if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
    throw ConfigurationError(fmt::format("--baseline {}: '{}' is not swept over{}; expected one of {}", word,
                                         key, did_you_mean(key, keys), fmt::join(keys, ", ")));
  }
  Words values;
  for (const TableRow& row : rows) {
    const std::string value = value_of(row.cell.overrides, key);
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  const std::string value = word.substr(key.size() + 1);
  if (std::find(values.begin(), values.end(), value) == values.end()) {
    throw ConfigurationError(fmt::format("--baseline {}: no cell has the value '{}'{}; expected one of {}",
                                         word, value, did_you_mean(value, values), fmt::join(values, ", ")));
  }
  return {std::nullopt, word};
}

Baseline parse_baseline(const std::vector<TableRow>& rows, const Words& keys, const std::string& text) {
  if (text.empty()) return {};
  if (text.find('=') != std::string::npos) return swept_baseline(rows, keys, text);
  int number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) {
    throw ConfigurationError(fmt::format("--baseline {}: expected a cell's number or KEY=VALUE", text));
  }
  return numbered_baseline(rows, number);
}

// The cell that `cell` is compared with; null when it is not there, or not finished.
const ComparedCell* baseline_of(const ComparedCell& cell, const std::vector<ComparedCell>& all,
                                const Baseline& baseline) {
  if (baseline.word.empty()) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const ComparedCell& other) {
      return !baseline.cell || other.row->cell.number == *baseline.cell;
    });
    return found == all.end() ? nullptr : &*found;
  }
  Words words = cell.row->cell.overrides;
  for (std::string& word : words)
    if (key_of(word) == key_of(baseline.word)) word = baseline.word;
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const ComparedCell& other) { return other.row->cell.overrides == words; });
  return found == all.end() ? nullptr : &*found;
}

bool same_questions(const RunMetrics& one, const RunMetrics& other) {
  const auto asked = [](char a, char b) { return (a == '.') == (b == '.'); };
  return one.prompts == other.prompts &&
         std::equal(one.grades.begin(), one.grades.end(), other.grades.begin(), other.grades.end(), asked);
}

void compare_with(ComparedCell& cell, const ComparedCell* baseline, const std::string& word) {
  if (baseline == nullptr) {
    cell.no_difference = fmt::format("no finished cell differs from it in {} alone", word);
    return;
  }
  cell.baseline = baseline->row->cell.number;
  if (baseline == &cell) return;
  const RunMetrics &own = *cell.row->record.metrics, &before = *baseline->row->record.metrics;
  if (own.grades.empty() || before.grades.empty()) {
    cell.no_difference = "the grades of single samples are not in result.json: an earlier version wrote it";
  } else if (!same_questions(own, before)) {
    cell.no_difference = fmt::format("other prompts than those of cell {} were graded", *cell.baseline);
  } else {
    cell.difference = paired_difference(own.grades, before.grades);
  }
}

}  // namespace

Words swept_keys(const std::vector<TableRow>& rows) {
  Words keys;
  for (const std::string& word : rows.empty() ? Words() : rows.front().cell.overrides) {
    const std::string key = key_of(word);
    const std::string first = value_of(rows.front().cell.overrides, key);
    if (std::any_of(rows.begin(), rows.end(),
                    [&](const TableRow& row) { return value_of(row.cell.overrides, key) != first; }))
      keys.push_back(key);
  }
  return keys;
}

std::string swept_value(const TableRow& row, const std::string& key) {
  return value_of(row.cell.overrides, key);
}

Comparison compare(const std::vector<TableRow>& rows, const std::string& baseline_text) {
  Comparison comparison{.keys = swept_keys(rows), .cells = {}};
  const Baseline baseline = parse_baseline(rows, comparison.keys, baseline_text);
  for (const TableRow& row : rows) {
    if (!row.record.metrics || row.record.metrics->graded == 0) continue;
    ComparedCell cell;
    cell.row = &row;
    for (const std::string& key : comparison.keys) cell.values.push_back(value_of(row.cell.overrides, key));
    cell.quality = wilson(row.record.metrics->correct, row.record.metrics->graded);
    comparison.cells.push_back(std::move(cell));
  }
  for (ComparedCell& cell : comparison.cells)
    compare_with(cell, baseline_of(cell, comparison.cells, baseline), baseline.word);
  return comparison;
}

}  // namespace canvaslab
