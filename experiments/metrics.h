// Measures of answers: named numbers per answer, and their averages with 95 % intervals.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace canvaslab {

constexpr double kNormalQuantile = 1.959963984540054;  // of 97.5 %: 95 % intervals

// How a metric's average gets its interval.
enum class MetricKind {
  kShare,  // each value is 0 or 1: Wilson's score interval
  kMean,   // any number: percentile bootstrap
};

struct Metric {
  std::string name;
  double value;
  MetricKind kind = MetricKind::kMean;
};

using Metrics = std::vector<Metric>;

struct Interval {
  double low, high;

  bool operator==(const Interval&) const = default;
};

struct MetricSummary {
  std::string name;
  double mean;
  Interval interval;   // 95 %
  std::int64_t count;  // answers that have the metric

  bool operator==(const MetricSummary&) const = default;
};

// Wilson's score interval of a share at 95 %. `count` must be positive.
Interval wilson(std::int64_t successes, std::int64_t count);

// The percentile bootstrap's 95 % interval of a mean (2,000 resamples; the same values in any
// order give the same interval). `values` must not be empty.
Interval bootstrap(std::vector<double> values);

// Collects the metrics of answers.
class MetricTable {
 public:
  // Answers without a difficulty count in the averages but in no group.
  void add(std::optional<double> difficulty, const Metrics& metrics);

  // One summary a metric, in order of first appearance.
  std::vector<MetricSummary> overall() const;

  // One metric in up to `groups` ranges of difficulty, easiest first; each name is the range ("12-16"). Empty
  // when no answer has a difficulty.
  std::vector<MetricSummary> by_difficulty(const std::string& metric, int groups = 4) const;

 private:
  struct Value {
    std::optional<double> difficulty;
    double value;
  };
  struct Column {
    std::string name;
    MetricKind kind;
    std::vector<Value> values;
  };

  static MetricSummary summarise(std::string name, MetricKind kind, const std::vector<double>& values);

  std::vector<Column> columns_;
};

// The averages with their intervals, a line each, then the metric "right" by difficulty and the metrics of
// all answers together.
void print_metrics(std::ostream& out, const MetricTable& table, const std::string& difficulty_unit,
                   const Metrics& together);

}  // namespace canvaslab
