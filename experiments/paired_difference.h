// Two runs on the same questions, answer by answer: how much more often the one is right.
#pragma once

#include <cstdint>
#include <string>

#include "experiments/metrics.h"

namespace canvaslab {

struct PairedDifference {
  double difference = 0;  // share of right answers minus the baseline's
  Interval interval{};    // 95 %
  std::int64_t pairs = 0;
  std::int64_t gained = 0, lost = 0;  // right where the baseline is wrong, and the other way round
};

// `grades` and `baseline`: '1' right, '0' wrong, '.' not graded, one letter a question; of equal length, at
// least one question graded in both (others are left out).
// The interval is the square-and-add interval of R. G. Newcombe, "Improved confidence intervals for the
// difference between binomial proportions based on paired data" (1998), method 10: it stays sensible where
// all pairs agree, and near 0 and 100 %.
PairedDifference paired_difference(const std::string& grades, const std::string& baseline);

}  // namespace canvaslab
