#include "experiments/line_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace canvaslab {
namespace {

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;

  void add(double value) { low = std::min(low, value), high = std::max(high, value); }
  bool empty() const { return low > high; }
};

// Where a value is in a range, from 0 to `last`.
int place(double value, double low, double high, int last) {
  return high > low ? static_cast<int>(std::lround((value - low) / (high - low) * last)) : 0;
}

// One value a column, the mean of the points in it.
std::map<int, double> columns_of(const PlotSeries& series, double most, int width) {
  std::map<int, std::pair<double, int>> sums;
  for (const auto& [x, y] : series.points) {
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    auto& [sum, count] = sums[place(x, 0, most, width - 1)];
    sum += y, ++count;
  }
  std::map<int, double> means;
  for (const auto& [column, sum] : sums) means[column] = sum.first / sum.second;
  return means;
}

constexpr int kLabel = 9;  // characters of a number beside the axis

std::string label(double value) {
  return fmt::format("{:>{}.4g}", value, kLabel);
}

}  // namespace

std::string line_plot(const std::string& title, const std::string& x_name,
                      const std::vector<PlotSeries>& series, const PlotSize& size) {
  double most = 0;
  for (const PlotSeries& one : series) {
    for (const auto& [x, y] : one.points)
      if (std::isfinite(x) && std::isfinite(y)) most = std::max(most, x);
  }
  Range range;
  std::vector<std::map<int, double>> columns;
  for (const PlotSeries& one : series) {
    columns.push_back(columns_of(one, most, size.width));
    for (const auto& [column, value] : columns.back()) range.add(value);
  }
  if (range.empty()) return "";
  const int last = range.high > range.low ? size.height - 1 : 0;
  std::vector<std::string> rows(static_cast<size_t>(last) + 1,
                                std::string(static_cast<size_t>(size.width), ' '));
  for (size_t s = 0; s < series.size(); ++s) {
    for (const auto& [column, value] : columns[s]) {
      const int row = last - place(value, range.low, range.high, last);
      rows[static_cast<size_t>(row)][static_cast<size_t>(column)] = series[s].mark;
    }
  }
  std::string text = title + "\n";
  for (size_t r = 0; r < rows.size(); ++r) {
    const std::string side = r == 0                 ? label(range.high)
                             : r + 1 == rows.size() ? label(range.low)
                                                    : std::string(kLabel, ' ');
    std::string line = fmt::format("{} |{}", side, rows[r]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  const std::string end = fmt::format("{:g}", most);
  text += fmt::format("{:>{}} +{:-<{}}\n", "", kLabel, "", size.width);
  text += fmt::format("{:>{}}  0{:>{}} {}\n", "", kLabel, end, size.width - 1, x_name);
  return text;
}

}  // namespace canvaslab
