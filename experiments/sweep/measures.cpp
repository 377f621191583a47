#include "experiments/sweep/measures.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>

#include "experiments/sweep/aligned_text.h"
#include "experiments/sweep/comparison.h"

namespace canvaslab {
namespace {

using Line = std::vector<std::string>;

// The names of all measures, in order of first appearance.
Line measure_names(const std::vector<TableRow>& rows) {
  Line names;
  for (const TableRow& row : rows) {
    if (!row.record.metrics) continue;
    for (const MetricSummary& measure : row.record.metrics->measures)
      if (std::find(names.begin(), names.end(), measure.name) == names.end()) names.push_back(measure.name);
  }
  return names;
}

void add_measure(const RunMetrics& metrics, const std::string& name, Line& line) {
  const auto found = std::find_if(metrics.measures.begin(), metrics.measures.end(),
                                  [&](const MetricSummary& measure) { return measure.name == name; });
  const bool has = found != metrics.measures.end();
  line.push_back(has ? fmt::format("{:.4g}", found->mean) : "-");
  line.push_back(has ? fmt::format("[{:.4g}, {:.4g}]", found->interval.low, found->interval.high) : "");
}

}  // namespace

void print_measures(const std::vector<TableRow>& rows, std::ostream& out) {
  const Line names = measure_names(rows), keys = swept_keys(rows);
  if (names.empty()) return;
  Line header{"cell"};
  header.insert(header.end(), keys.begin(), keys.end());
  header.emplace_back("steps/canvas");
  for (const std::string& name : names) header.push_back(name), header.emplace_back("95 % interval");
  std::vector<Line> lines{header};
  for (const TableRow& row : rows) {
    if (!row.record.metrics || row.record.metrics->measures.empty()) continue;
    Line line{std::to_string(row.cell.number)};
    for (const std::string& key : keys) line.push_back(swept_value(row, key));
    line.push_back(fmt::format("{:.2f}", row.record.metrics->steps_per_canvas()));
    for (const std::string& name : names) add_measure(*row.record.metrics, name, line);
    lines.push_back(std::move(line));
  }
  fmt::print(out, "\n");
  std::set<std::size_t> left;
  for (std::size_t i = 1; i <= keys.size(); ++i) left.insert(i);
  print_aligned(lines, left, out);
}

}  // namespace canvaslab
