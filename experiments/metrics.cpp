#include "experiments/metrics.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random/philox.h"

namespace canvaslab {
namespace {

constexpr std::uint32_t kResamples = 2000;

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double resampled_mean(const std::vector<double>& values, std::uint32_t resample) {
  double sum = 0;
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    const PhiloxCounter bits = philox({i, resample, 0, 0}, {0, 0});
    sum += values[static_cast<size_t>(unit_interval(bits[0], bits[1]) * static_cast<double>(values.size()))];
  }
  return sum / static_cast<double>(values.size());
}

std::string range_name(double low, double high) {
  return low == high ? fmt::format("{:g}", low) : fmt::format("{:g}-{:g}", low, high);
}

}  // namespace

Interval wilson(std::int64_t successes, std::int64_t count) {
  const double n = static_cast<double>(count), share = static_cast<double>(successes) / n;
  const double z2 = kNormalQuantile * kNormalQuantile;
  const double centre = (share + z2 / (2 * n)) / (1 + z2 / n);
  const double reach = kNormalQuantile / (1 + z2 / n) * std::sqrt(share * (1 - share) / n + z2 / (4 * n * n));
  return {successes == 0 ? 0 : centre - reach, successes == count ? 1 : centre + reach};
}

// Resampled from the sorted values, so that the order in which answers came does not matter.
Interval bootstrap(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  std::vector<double> means;
  for (std::uint32_t resample = 0; resample < kResamples; ++resample)
    means.push_back(resampled_mean(values, resample));
  std::sort(means.begin(), means.end());
  return {means[kResamples / 40], means[kResamples - 1 - kResamples / 40]};
}

void MetricTable::add(std::optional<double> difficulty, const Metrics& metrics) {
  for (const Metric& metric : metrics) {
    auto column = std::find_if(columns_.begin(), columns_.end(),
                               [&](const Column& known) { return known.name == metric.name; });
    if (column == columns_.end()) column = columns_.insert(column, {metric.name, metric.kind, {}});
    column->values.push_back({difficulty, metric.value});
  }
}

MetricSummary MetricTable::summarise(std::string name, MetricKind kind, const std::vector<double>& values) {
  const double mean = mean_of(values);
  const auto count = static_cast<std::int64_t>(values.size());
  const Interval interval = kind == MetricKind::kShare
                                ? wilson(std::llround(mean * static_cast<double>(count)), count)
                                : bootstrap(values);
  return {std::move(name), mean, interval, count};
}

std::vector<MetricSummary> MetricTable::overall() const {
  std::vector<MetricSummary> summaries;
  for (const Column& column : columns_) {
    std::vector<double> values;
    for (const Value& value : column.values) values.push_back(value.value);
    summaries.push_back(summarise(column.name, column.kind, values));
  }
  return summaries;
}

// The answers in order of difficulty are cut into groups of about equal size; equals stay together.
std::vector<MetricSummary> MetricTable::by_difficulty(const std::string& metric, int groups) const {
  std::vector<MetricSummary> summaries;
  for (const Column& column : columns_) {
    if (column.name != metric) continue;
    std::vector<Value> values;
    for (const Value& value : column.values)
      if (value.difficulty) values.push_back(value);
    std::stable_sort(values.begin(), values.end(),
                     [](const Value& a, const Value& b) { return a.difficulty < b.difficulty; });
    for (size_t first = 0, group = 1; first < values.size(); ++group) {
      size_t end = std::max(first + 1, values.size() * group / static_cast<size_t>(groups));
      while (end < values.size() && values[end].difficulty == values[end - 1].difficulty) ++end;
      std::vector<double> members;
      for (size_t i = first; i < end; ++i) members.push_back(values[i].value);
      summaries.push_back(summarise(range_name(*values[first].difficulty, *values[end - 1].difficulty),
                                    column.kind, members));
      first = end;
    }
  }
  return summaries;
}

void print_metrics(std::ostream& out, const MetricTable& table, const std::string& difficulty_unit,
                   const Metrics& together) {
  const auto print = [&](const MetricSummary& summary) {
    fmt::print(out, "  {:<18} {:>8.4g}  [{:.4g}, {:.4g}]  {}\n", summary.name, summary.mean,
               summary.interval.low, summary.interval.high, summary.count);
  };
  const std::vector<MetricSummary> all = table.overall();
  if (!all.empty()) fmt::print(out, "\n  {:<18} {:>8}  95 % interval, answers\n", "", "mean");
  for (const MetricSummary& summary : all) print(summary);
  const std::vector<MetricSummary> groups = table.by_difficulty("right");
  if (groups.size() > 1) {
    fmt::print(out, "  right, by {}\n", difficulty_unit);
    for (const MetricSummary& group : groups) print(group);
  }
  if (!together.empty()) fmt::print(out, "  of all answers together\n");
  for (const Metric& metric : together) fmt::print(out, "  {:<20} {:>6.4g}\n", metric.name, metric.value);
}

}  // namespace canvaslab
