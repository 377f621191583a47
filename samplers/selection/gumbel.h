// Random choices of several positions by their scores: Gumbel-top-k.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/random/random.h"

namespace canvaslab {

// score / temperature plus Gumbel noise, -log(-log u): the k positions where it is largest are a draw of k
// without replacement, with weights exp(score / temperature). At temperature 0 the score itself. The uniform
// number is the position's number 0, moved off 0 and 1, where the noise is infinite.
inline double randomized(double score, double temperature, int position, SelectionDraws& draws) {
  if (temperature == 0) return score;
  const double u = std::clamp(draws.uniform(position, 0), 0x1.0p-54, 1 - 0x1.0p-53);
  return score / temperature - std::log(-std::log(u));
}

}  // namespace canvaslab
