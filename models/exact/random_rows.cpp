#include "models/exact/random_rows.h"

#include <cmath>
#include <span>

#include "core/random/philox.h"
#include "models/exact/probabilities.h"

namespace canvaslab {

std::vector<double> random_rows(std::uint64_t seed, std::uint32_t stream, std::size_t count,
                                std::size_t width, const RowShape& shape) {
  const PhiloxKey key{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  std::vector<double> values(count * width);
  for (std::size_t row = 0; row < count; ++row) {
    const std::span one = std::span(values).subspan(row * width, width);
    for (std::size_t v = 0; v < width; ++v) {
      const PhiloxCounter bits =
          philox({static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(row), stream, 0}, key);
      one[v] = std::pow(-std::log1p(-unit_interval(bits[0], bits[1])), shape.sharpness);
    }
    normalise(one);
    for (double& value : one) value = (1 - shape.least) * value + shape.least / static_cast<double>(width);
  }
  return values;
}

}  // namespace canvaslab
