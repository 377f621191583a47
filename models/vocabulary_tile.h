// The inner loops of the vocabulary pass: one position's logits over one tile of the vocabulary. No LibTorch
// here.
//
// A position's distribution is p_v = exp(z_v - m) / Z with z = logits / temperature. Over tiles it is carried
// as the running maximum m, Z = sum exp(z - m) and D = sum exp(z - m) (z - m); the entropy is log Z - D / Z.
// Relative to the maximum, so that it stays exact to rounding when nearly all mass is on one token.
#pragma once

#include <cstdint>
#include <limits>

#include "core/step.h"

namespace canvaslab {

// Maximum, runner-up and their place in one tile, after cap, temperature and suppression.
struct TileMaxima {
  float first = -std::numeric_limits<float>::infinity();
  float second = -std::numeric_limits<float>::infinity();
  bool finite = true;  // whether every logit was finite
};

// Replaces raw[0..n) by cap * tanh(raw / cap) / temperature (cap 0: no cap), in place.
TileMaxima scale_tile(float* raw, std::int64_t n, float cap, float temperature);

// The two largest of z[0..n), for tiles that were changed (suppressed ids) after scaling.
TileMaxima maxima(const float* z, std::int64_t n);

// Replaces z[0..n) by exp(z - reference); adds to mass = sum exp(z - reference), moment = sum exp(...)(z -
// reference).
void exponentiate_tile(float* z, std::int64_t n, float reference, float* mass, float* moment);

// Index of the first entry equal to `value`, or n.
std::int64_t first_equal(const float* z, std::int64_t n, float value);

// What is known of one position's distribution after some tiles.
struct RunningDistribution {
  float maximum = -std::numeric_limits<float>::infinity();
  float second = -std::numeric_limits<float>::infinity();
  TokenId argmax = 0;
  double mass = 0;    // Z
  double moment = 0;  // D

  // Moves the reference point to a new, larger maximum.
  void rebase(float new_maximum);
};

}  // namespace canvaslab
