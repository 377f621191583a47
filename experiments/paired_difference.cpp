#include "experiments/paired_difference.h"

#include <algorithm>
#include <cmath>

namespace canvaslab {
namespace {

// Pairs by what became of them.
struct Counts {
  double both = 0, gained = 0, lost = 0, neither = 0;
  double all() const { return both + gained + lost + neither; }
};

Counts count(const std::string& grades, const std::string& baseline) {
  Counts counts;
  for (size_t i = 0; i < grades.size(); ++i) {
    if (grades[i] == '.' || baseline[i] == '.') continue;
    const bool right = grades[i] == '1', right_before = baseline[i] == '1';
    (right ? (right_before ? counts.both : counts.gained) : (right_before ? counts.lost : counts.neither)) +=
        1;
  }
  return counts;
}

// The correlation of the two grades, a positive one corrected for continuity.
double correlation(const Counts& counts) {
  const double product = (counts.both + counts.gained) * (counts.lost + counts.neither) *
                         (counts.both + counts.lost) * (counts.gained + counts.neither);
  if (product == 0) return 0;
  const double covariance = counts.both * counts.neither - counts.gained * counts.lost;
  const double corrected = covariance > 0 ? std::max(covariance - counts.all() / 2, 0.0) : covariance;
  return corrected / std::sqrt(product);
}

// How far the difference of two correlated shares reaches, from how far each of them does.
double added(double one, double other, double correlation) {
  return std::sqrt(one * one - 2 * correlation * one * other + other * other);
}

}  // namespace

PairedDifference paired_difference(const std::string& grades, const std::string& baseline) {
  const Counts counts = count(grades, baseline);
  const double right = counts.both + counts.gained, right_before = counts.both + counts.lost;
  const auto pairs = static_cast<std::int64_t>(counts.all());
  const Interval own = wilson(static_cast<std::int64_t>(right), pairs);
  const Interval before = wilson(static_cast<std::int64_t>(right_before), pairs);
  const double share = right / counts.all(), share_before = right_before / counts.all();
  const double phi = correlation(counts), difference = (counts.gained - counts.lost) / counts.all();
  return {.difference = difference,
          .interval = {difference - added(share - own.low, before.high - share_before, phi),
                       difference + added(own.high - share, share_before - before.low, phi)},
          .pairs = pairs,
          .gained = static_cast<std::int64_t>(counts.gained),
          .lost = static_cast<std::int64_t>(counts.lost)};
}

}  // namespace canvaslab
