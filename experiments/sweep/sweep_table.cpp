#include "experiments/sweep/sweep_table.h"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "experiments/sweep/comparison.h"

namespace canvaslab {
namespace {

nlohmann::json json_of(const MetricValue& value) {
  return std::visit([](const auto& v) { return nlohmann::json(v); }, value);  // NaN becomes null
}

nlohmann::json json_of(const TableRow& row) {
  const CellRecord& record = row.record;
  nlohmann::json json = {{"cell", row.cell.number},     {"overrides", row.cell.overrides},
                         {"seed", row.cell.seed},       {"state", cell_state_name(record.state)},
                         {"attempts", record.attempts}, {"host", record.host},
                         {"folder", row.cell.folder}};
  if (!record.trace.empty()) json["trace"] = row.cell.folder + "/" + record.trace.string();
  if (!record.error.empty()) json["error"] = record.error;
  if (record.metrics) {
    json["started"] = record.started, json["ended"] = record.ended, json["seconds"] = record.seconds;
    for (const auto& [name, value] : named_values(*record.metrics)) json["metrics"][name] = json_of(value);
  }
  return json;
}

nlohmann::json json_of(const Interval& interval) {
  return {{"low", interval.low}, {"high", interval.high}};
}

nlohmann::json json_of(const ComparedCell& cell) {
  nlohmann::json json = {{"grades", cell.row->record.metrics->grades}, {"quality", json_of(cell.quality)}};
  const RunMetrics& metrics = *cell.row->record.metrics;
  if (const auto interval = metrics.steps.interval()) json["steps_per_canvas"] = json_of(*interval);
  if (const auto interval = metrics.speed.interval()) json["tokens_per_pass"] = json_of(*interval);
  if (cell.baseline) json["baseline"] = *cell.baseline;
  if (cell.difference) {
    json["difference"] = json_of(cell.difference->interval);
    json["difference"].update({{"mean", cell.difference->difference},
                               {"pairs", cell.difference->pairs},
                               {"gained", cell.difference->gained},
                               {"lost", cell.difference->lost}});
  }
  if (!cell.no_difference.empty()) json["no_difference"] = cell.no_difference;
  return json;
}

std::string result_text(const CellRecord& record) {
  if (!record.metrics) return record.error;
  const RunMetrics& metrics = *record.metrics;
  const std::string right =
      metrics.graded > 0 ? fmt::format("{:5.1f} % right, ", 100 * metrics.accuracy()) : "";
  return fmt::format("{} samples, {}{:.2f} steps a canvas, {:.2f} tokens a pass, {:.2f} s{}{}",
                     metrics.samples, right, metrics.steps_per_canvas(), metrics.tokens_per_pass(),
                     record.seconds, record.error.empty() ? "" : "; ", record.error);
}

// The overrides that every cell of several has.
std::set<std::string> words_of_all(const std::vector<TableRow>& rows) {
  std::set<std::string> common;
  if (rows.size() < 2) return common;
  for (const std::string& word : rows.front().cell.overrides) {
    const bool in_all = std::all_of(rows.begin(), rows.end(), [&](const TableRow& row) {
      return std::find(row.cell.overrides.begin(), row.cell.overrides.end(), word) !=
             row.cell.overrides.end();
    });
    if (in_all) common.insert(word);
  }
  return common;
}

std::string told_apart(const TableRow& row, const std::set<std::string>& common) {
  std::vector<std::string> words;
  for (const std::string& word : row.cell.overrides) {
    if (!common.contains(word)) words.push_back(word);
  }
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace

std::vector<TableRow> read_table(const StoredSweep& sweep) {
  std::vector<TableRow> rows;
  for (const PlannedCell& cell : sweep.cells()) rows.push_back({cell, sweep.cell(cell).record()});
  return rows;
}

void print_text(const std::vector<TableRow>& rows, std::ostream& out) {
  const std::set<std::string> common = words_of_all(rows);
  std::vector<std::string> words;
  size_t width = 9;
  for (const TableRow& row : rows) {
    words.push_back(told_apart(row, common));
    width = std::max(width, words.back().size());
  }
  fmt::print(out, "{:>5}  {:<8}  {:<{}}  result\n", "cell", "state", "overrides", width);
  for (size_t i = 0; i < rows.size(); ++i) {
    const CellRecord& record = rows[i].record;
    fmt::print(out, "{:>5}  {:<8}  {:<{}}  {}\n", rows[i].cell.number, cell_state_name(record.state),
               words[i], width, result_text(record));
  }
  if (!common.empty()) fmt::print(out, "all: {}\n", fmt::join(common, " "));
}

void print_json(const StoredSweep& sweep, const std::vector<TableRow>& rows, const Comparison& comparison,
                std::ostream& out) {
  nlohmann::json cells = nlohmann::json::array();
  for (const TableRow& row : rows) {
    cells.push_back(json_of(row));
    for (const ComparedCell& cell : comparison.cells)
      if (cell.row == &row) cells.back().update(json_of(cell));
  }
  out << nlohmann::json{{"folder", sweep.folder().string()}, {"cells", cells}}.dump(1) << '\n';
}

}  // namespace canvaslab
