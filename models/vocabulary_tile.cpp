#include "models/vocabulary_tile.h"

#include <algorithm>
#include <cmath>

#include "models/fast_math.h"
#include "models/instruction_sets.h"

namespace canvaslab {
namespace {

constexpr int kLanes = 16;
constexpr float kMostNegative = -std::numeric_limits<float>::infinity();

// The two largest of a tile, kept lane by lane so that the loop vectorises.
struct LaneMaxima {
  float first[kLanes], second[kLanes];

  LaneMaxima() {
    std::fill(first, first + kLanes, kMostNegative);
    std::fill(second, second + kLanes, kMostNegative);
  }

  TileMaxima reduce() const {
    TileMaxima all;
    for (int lane = 0; lane < kLanes; ++lane) {
      all.second = std::max(all.second, std::min(all.first, first[lane]));
      all.first = std::max(all.first, first[lane]);
      all.second = std::max(all.second, second[lane]);
    }
    return all;
  }
};

inline __attribute__((always_inline)) void note(LaneMaxima& lanes, int lane, float z) {
  const float low = z < lanes.first[lane] ? z : lanes.first[lane];
  lanes.second[lane] = lanes.second[lane] > low ? lanes.second[lane] : low;
  lanes.first[lane] = lanes.first[lane] > z ? lanes.first[lane] : z;
}

}  // namespace

CANVASLAB_EVERY_INSTRUCTION_SET
TileMaxima scale_tile(float* raw, std::int64_t n, float cap, float temperature) {
  LaneMaxima lanes;
  int bad[kLanes] = {};
  const std::int64_t whole = n - n % kLanes;
  const float inverse_cap = cap > 0 ? 1.0F / cap : 0.0F;
  for (std::int64_t i = 0; i < whole; i += kLanes) {
#pragma omp simd
    for (int lane = 0; lane < kLanes; ++lane) {
      const float x = raw[i + lane];
      bad[lane] |= std::fabs(x) <= std::numeric_limits<float>::max() ? 0 : 1;
      const float z = (cap > 0 ? cap * fast_tanh(x * inverse_cap) : x) / temperature;
      raw[i + lane] = z;
      note(lanes, lane, z);
    }
  }
  for (std::int64_t i = whole; i < n; ++i) {
    bad[0] |= std::isfinite(raw[i]) ? 0 : 1;
    raw[i] = (cap > 0 ? cap * fast_tanh(raw[i] * inverse_cap) : raw[i]) / temperature;
    note(lanes, 0, raw[i]);
  }
  TileMaxima all = lanes.reduce();
  all.finite = std::none_of(bad, bad + kLanes, [](int flag) { return flag != 0; });
  return all;
}

CANVASLAB_EVERY_INSTRUCTION_SET
TileMaxima maxima(const float* z, std::int64_t n) {
  LaneMaxima lanes;
  const std::int64_t whole = n - n % kLanes;
  for (std::int64_t i = 0; i < whole; i += kLanes) {
#pragma omp simd
    for (int lane = 0; lane < kLanes; ++lane) note(lanes, lane, z[i + lane]);
  }
  for (std::int64_t i = whole; i < n; ++i) note(lanes, 0, z[i]);
  return lanes.reduce();
}

CANVASLAB_EVERY_INSTRUCTION_SET
void exponentiate_tile(float* z, std::int64_t n, float reference, float* mass, float* moment) {
  float sum = 0, weighted = 0;
#pragma omp simd reduction(+ : sum, weighted)
  for (std::int64_t i = 0; i < n; ++i) {
    const float distance = z[i] - reference;
    const float e = fast_exp(distance);
    z[i] = e;
    sum += e;
    weighted +=
        e * (distance < -200.0F ? -200.0F : distance);  // a suppressed token: 0 * -200, not 0 * -infinity
  }
  *mass = sum;
  *moment = weighted;
}

std::int64_t first_equal(const float* z, std::int64_t n, float value) {
  return std::find(z, z + n, value) - z;
}

void RunningDistribution::rebase(float new_maximum) {
  if (mass > 0) {
    const double shift = static_cast<double>(maximum) - new_maximum;  // <= 0
    const double factor = std::exp(shift);
    moment = factor > 0 ? factor * (moment + shift * mass) : 0;
    mass *= factor;
  }
  maximum = new_maximum;
}

}  // namespace canvaslab
