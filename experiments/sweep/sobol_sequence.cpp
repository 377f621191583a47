#include "experiments/sweep/sobol_sequence.h"

#include <fmt/format.h>

#include "core/error.h"

namespace canvaslab {
namespace {

// A primitive polynomial over GF(2) and the first direction numbers that belong to it.
struct Polynomial {
  int degree;
  std::uint32_t coefficients;  // of the inner powers, the highest first
  std::array<std::uint32_t, 7> initial;
};

// The dimensions from the second one on; the first is the van der Corput sequence.
constexpr std::array<Polynomial, SobolSequence::kMostDimensions - 1> kTable{{
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
}};

using Directions = std::array<std::uint32_t, SobolSequence::kBits>;

Directions van_der_corput() {
  Directions v{};
  for (int bit = 0; bit < SobolSequence::kBits; ++bit) v[bit] = std::uint32_t{1} << (31 - bit);
  return v;
}

// v_i = a_1 v_(i-1) ^ ... ^ a_(s-1) v_(i-s+1) ^ v_(i-s) ^ (v_(i-s) >> s), where v_i = m_i / 2^i.
Directions directions_of(const Polynomial& polynomial) {
  Directions v{};
  const int s = polynomial.degree;
  for (int bit = 0; bit < SobolSequence::kBits; ++bit) {
    if (bit < s) {
      v[bit] = polynomial.initial[bit] << (31 - bit);
      continue;
    }
    v[bit] = v[bit - s] ^ (v[bit - s] >> s);
    for (int k = 1; k < s; ++k) {
      if ((polynomial.coefficients >> (s - 1 - k) & 1) != 0) v[bit] ^= v[bit - k];
    }
  }
  return v;
}

}  // namespace

SobolSequence::SobolSequence(int dimensions) {
  if (dimensions > kMostDimensions) {
    throw ConfigurationError(
        fmt::format("a Sobol sweep has at most {} swept keys, found {}; hydra/sweeper="
                    "random has no limit",
                    kMostDimensions, dimensions));
  }
  for (int d = 0; d < dimensions; ++d)
    directions_.push_back(d == 0 ? van_der_corput() : directions_of(kTable[d - 1]));
}

std::vector<std::uint32_t> SobolSequence::point(std::uint32_t index) const {
  const std::uint32_t gray = index ^ (index >> 1);
  std::vector<std::uint32_t> point(directions_.size(), 0);
  for (size_t d = 0; d < point.size(); ++d) {
    for (int bit = 0; bit < kBits; ++bit) {
      if ((gray >> bit & 1) != 0) point[d] ^= directions_[d][bit];
    }
  }
  return point;
}

}  // namespace canvaslab
