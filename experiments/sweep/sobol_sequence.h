// The Sobol sequence: points that fill the unit cube evenly, in Gray-code order, with the direction numbers
// of S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional projections" (2008),
// table new-joe-kuo-6.21201, as PyTorch and SciPy use it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace canvaslab {

class SobolSequence {
 public:
  static constexpr int kMostDimensions = 21;
  static constexpr int kBits = 32;  // points differ for the first 2^32

  // ConfigurationError when there are more dimensions than the table has.
  explicit SobolSequence(int dimensions);

  // Point `index` (the first one is the origin), as the numerators of fractions of 2^32.
  std::vector<std::uint32_t> point(std::uint32_t index) const;

 private:
  std::vector<std::array<std::uint32_t, kBits>> directions_;  // [dimension][bit]
};

}  // namespace canvaslab
