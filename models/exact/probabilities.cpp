#include "models/exact/probabilities.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/error.h"

namespace canvaslab {

double normalise(std::span<double> values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  if (sum > 0)
    for (double& value : values) value /= sum;
  return sum;
}

void normalise_rows(std::span<double> values, size_t width, const char* what) {
  for (size_t begin = 0; begin < values.size(); begin += width) {
    const std::span row = values.subspan(begin, width);
    for (const double value : row) {
      if (!(value >= 0) || !std::isfinite(value))
        throw ConfigurationError(fmt::format("{}: row {} holds {}", what, begin / width, value));
    }
    if (normalise(row) <= 0)
      throw ConfigurationError(fmt::format("{}: row {} is all 0", what, begin / width));
  }
}

double entropy_of(std::span<const double> probabilities) {
  double sum = 0;
  for (const double p : probabilities) sum -= p > 0 ? p * std::log(p) : 0;
  return sum;
}

std::vector<double> seen_evidence(std::span<const TokenId> sequence, size_t symbols) {
  std::vector<double> evidence(sequence.size() * symbols, 0.0);
  for (size_t i = 0; i < sequence.size(); ++i) {
    const auto row = evidence.begin() + static_cast<std::ptrdiff_t>(i * symbols);
    if (static_cast<size_t>(sequence[i]) < symbols) {
      row[sequence[i]] = 1;
    } else {
      std::fill_n(row, symbols, 1.0);
    }
  }
  return evidence;
}

}  // namespace canvaslab
