// Random rows of probabilities for models that are made up from a seed.
#pragma once

#include <cstdint>
#include <vector>

namespace canvaslab {

// How a row is drawn: `width` values proportional to e^sharpness, e exponential; then every value is raised
// to at least about `least` / width by mixing in that share of equal chances.
struct RowShape {
  double sharpness = 3;
  double least = 0.1;
};

// `count` rows [count, width]. A row follows from seed, `stream` and its number.
std::vector<double> random_rows(std::uint64_t seed, std::uint32_t stream, std::size_t count,
                                std::size_t width, const RowShape& shape);

}  // namespace canvaslab
