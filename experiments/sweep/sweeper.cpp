#include "experiments/sweep/sweeper.h"

#include <algorithm>
#include <cmath>

#include "core/config/scalar.h"

namespace canvaslab {
namespace {

double between(const config::SweepInterval& interval, double unit) {
  if (!interval.is_logarithmic) return interval.low + unit * (interval.high - interval.low);
  return interval.low * std::exp(unit * std::log(interval.high / interval.low));
}

}  // namespace

std::string chosen_value(const config::SweepKey& key, double unit) {
  if (!key.interval) {
    const auto count = static_cast<double>(key.values.size());
    return key.values[std::min(key.values.size() - 1, static_cast<size_t>(unit * count))];
  }
  const config::SweepInterval& interval = *key.interval;
  // Rounding must not reach the upper end, which does not belong to the interval.
  const double value =
      std::clamp(between(interval, unit), interval.low, std::nextafter(interval.high, interval.low));
  if (interval.is_integer) return std::to_string(static_cast<std::int64_t>(std::floor(value)));
  return config::real_text(value);
}

}  // namespace canvaslab
