// Rotary position embedding, in the two kinds that Gemma 4 uses.
//
// Channel i is paired with channel i + d/2 over the whole head. Sliding layers ("default"): frequency
// theta^(-2i/d). Full layers ("proportional"): the first floor(partial * d / 2) pairs rotate, with the full d
// in the exponent; the other pairs have frequency 0 and do not rotate.
#pragma once

#include <ATen/ATen.h>

#include "models/gemma4/config.h"

namespace canvaslab::gemma4 {

// Cosines and sines for a list of positions: [N, 1, head_dim / 2] each, in the activation type.
struct RopeTable {
  at::Tensor cosine, sine;
};

RopeTable rope_table(const LayerConfig& layer, const at::Tensor& positions, at::ScalarType type);

// Rotates x [N, heads, head_dim].
at::Tensor apply_rope(const at::Tensor& x, const RopeTable& table);

}  // namespace canvaslab::gemma4
