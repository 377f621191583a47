#include "experiments/ratio_sums.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace canvaslab {

void RatioSums::add(std::int64_t numerator, std::int64_t denominator) {
  ++count;
  above += numerator, below += denominator;
  above_squared += numerator * numerator, below_squared += denominator * denominator;
  products += numerator * denominator;
}

double RatioSums::ratio() const {
  return below > 0 ? static_cast<double>(above) / static_cast<double>(below) : std::nan("");
}

std::optional<Interval> RatioSums::interval() const {
  if (count < 2 || below <= 0) return std::nullopt;
  const double r = ratio(), m = static_cast<double>(count);
  const double squares = static_cast<double>(above_squared) - 2 * r * static_cast<double>(products) +
                         r * r * static_cast<double>(below_squared);
  const double error = std::sqrt(std::max(0.0, squares) / (m * (m - 1))) / (static_cast<double>(below) / m);
  return Interval{r - kNormalQuantile * error, r + kNormalQuantile * error};
}

nlohmann::json to_json(const RatioSums& sums) {
  return {sums.count, sums.above, sums.below, sums.above_squared, sums.below_squared, sums.products};
}

RatioSums ratio_sums_of(const nlohmann::json& json) {
  return {json.at(0), json.at(1), json.at(2), json.at(3), json.at(4), json.at(5)};
}

}  // namespace canvaslab
