// A ratio of two sums over samples - steps per canvas, tokens per pass - with its 95 % interval.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "experiments/metrics.h"

namespace canvaslab {

// Whole numbers, so that the order in which samples come does not matter.
struct RatioSums {
  std::int64_t count = 0;
  std::int64_t above = 0, below = 0;  // sums of the samples' numerators n and denominators d
  std::int64_t above_squared = 0, below_squared = 0, products = 0;  // of n n, d d and n d

  void add(std::int64_t numerator, std::int64_t denominator);

  double ratio() const;  // NaN where the denominators are 0

  // By the delta method: r +- 1.96 sqrt(sum (n - r d)^2 / (m (m - 1))) / mean d, over m samples. None for
  // fewer than two, or where the denominators are 0.
  std::optional<Interval> interval() const;

  bool operator==(const RatioSums&) const = default;
};

// Six numbers, and back. nlohmann's exceptions when it is something else.
nlohmann::json to_json(const RatioSums& sums);
RatioSums ratio_sums_of(const nlohmann::json& json);

}  // namespace canvaslab
