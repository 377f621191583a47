// A comparison as aligned text.
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "experiments/sweep/aligned_text.h"
#include "experiments/sweep/comparison.h"

namespace canvaslab {
namespace {

using Line = std::vector<std::string>;

constexpr double kBarWidth = 20;

std::string bar(double share) {
  return std::string(static_cast<size_t>(std::lround(kBarWidth * share)), '#');
}

std::string percent(const Interval& interval) {
  return fmt::format("[{:.1f}, {:.1f}]", 100 * interval.low, 100 * interval.high);
}

std::string points(const Interval& interval) {
  return fmt::format("[{:+.1f}, {:+.1f}]", 100 * interval.low, 100 * interval.high);
}

std::string bracketed(const RatioSums& sums) {
  const std::optional<Interval> interval = sums.interval();
  return interval ? fmt::format("[{:.2f}, {:.2f}]", interval->low, interval->high) : "";
}

Line line_of(const ComparedCell& cell) {
  const RunMetrics& metrics = *cell.row->record.metrics;
  Line line{std::to_string(cell.row->cell.number)};
  line.insert(line.end(), cell.values.begin(), cell.values.end());
  const Line measured{fmt::format("{:.1f}", 100 * metrics.accuracy()),
                      percent(cell.quality),
                      bar(metrics.accuracy()),
                      fmt::format("{:.2f}", metrics.steps_per_canvas()),
                      bracketed(metrics.steps),
                      fmt::format("{:.2f}", metrics.tokens_per_pass()),
                      bracketed(metrics.speed),
                      fmt::format("{:.2f}", cell.row->record.seconds)};
  line.insert(line.end(), measured.begin(), measured.end());
  const bool is_baseline = cell.baseline == cell.row->cell.number;
  line.push_back(cell.difference ? fmt::format("{:+.1f}", 100 * cell.difference->difference)
                 : is_baseline   ? "baseline"
                                 : "-");
  line.push_back(cell.difference ? points(cell.difference->interval) : "");
  line.push_back(cell.difference ? std::to_string(*cell.baseline) : "");
  return line;
}

Line header_of(const Comparison& comparison) {
  Line header{"cell"};
  header.insert(header.end(), comparison.keys.begin(), comparison.keys.end());
  for (const char* name : {"right %", "95 % interval", "", "steps/canvas", "95 % interval", "tokens/pass",
                           "95 % interval", "seconds", "difference", "95 % interval", "from cell"})
    header.emplace_back(name);
  return header;
}

void print_reasons(const Comparison& comparison, std::ostream& out) {
  std::vector<std::string> told;
  for (const ComparedCell& cell : comparison.cells) {
    const std::string& reason = cell.no_difference;
    if (reason.empty() || std::find(told.begin(), told.end(), reason) != told.end()) continue;
    told.push_back(reason);
    std::vector<int> numbers;
    for (const ComparedCell& other : comparison.cells)
      if (other.no_difference == reason) numbers.push_back(other.row->cell.number);
    fmt::print(out, "  no difference for cell {}: {}\n", fmt::join(numbers, ", "), reason);
  }
}

}  // namespace

void print_comparison(const Comparison& comparison, std::ostream& out) {
  if (comparison.cells.size() < 2) return;
  std::vector<Line> lines{header_of(comparison)};
  for (const ComparedCell& cell : comparison.cells) lines.push_back(line_of(cell));
  fmt::print(out, "\n");
  print_aligned(lines, /*left=*/{comparison.keys.size() + 3}, out);
  fmt::print(out, "  difference: points of right answers, paired sample by sample; 95 % intervals\n");
  print_reasons(comparison, out);
}

}  // namespace canvaslab
