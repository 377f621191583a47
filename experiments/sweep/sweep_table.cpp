#include "experiments/sweep/sweep_table.h"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

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

std::string metrics_text(const CellRecord& record) {
  if (!record.metrics) return "";
  const RunMetrics& metrics = *record.metrics;
  const std::string right =
      metrics.graded > 0 ? fmt::format("{:5.1f} % right, ", 100 * metrics.accuracy()) : "";
  return fmt::format("{} samples, {}{:.2f} steps a canvas, {:.2f} tokens a pass, {:.2f} s", metrics.samples,
                     right, metrics.steps_per_canvas(), metrics.tokens_per_pass(), record.seconds);
}

}  // namespace

std::vector<TableRow> read_table(const StoredSweep& sweep) {
  std::vector<TableRow> rows;
  for (const PlannedCell& cell : sweep.cells()) rows.push_back({cell, sweep.cell(cell).record()});
  return rows;
}

void print_text(const std::vector<TableRow>& rows, std::ostream& out) {
  size_t width = 9;
  for (const TableRow& row : rows)
    width = std::max(width, fmt::format("{}", fmt::join(row.cell.overrides, " ")).size());
  fmt::print(out, "{:>5}  {:<8}  {:<{}}  result\n", "cell", "state", "overrides", width);
  for (const TableRow& row : rows) {
    const std::string words = fmt::format("{}", fmt::join(row.cell.overrides, " "));
    fmt::print(out, "{:>5}  {:<8}  {:<{}}  {}\n", row.cell.number, cell_state_name(row.record.state), words,
               width, row.record.state == CellState::kFailed ? row.record.error : metrics_text(row.record));
  }
}

void print_json(const StoredSweep& sweep, const std::vector<TableRow>& rows, std::ostream& out) {
  nlohmann::json cells = nlohmann::json::array();
  for (const TableRow& row : rows) cells.push_back(json_of(row));
  out << nlohmann::json{{"folder", sweep.folder().string()}, {"cells", cells}}.dump(1) << '\n';
}

}  // namespace canvaslab
