// Attention of one layer over a packed batch of rows, each with its own cache.
//
// Gemma 4 scales scores by 1 (not 1/sqrt(d)), normalises queries and keys with weights and values without,
// and on full layers derives the values from the raw key projection (K = V).
#pragma once

#include <ATen/ATen.h>

#include <span>

#include "models/gemma4/config.h"
#include "models/gemma4/kv_cache.h"
#include "models/gemma4/rope.h"
#include "models/numeric.h"

namespace canvaslab::gemma4 {

struct AttentionWeights {
  Projection query, key, value, output;  // [out, in]; value has no weight on full layers
  at::Tensor query_norm, key_norm;       // [head_dim]
};

enum class Mode {
  kPrefill,  // causal; keys and values join the cache
  kDenoise,  // bidirectional over the canvas and the cache, which stays as it is
};

// Which canvas positions a canvas query of a sliding layer sees while denoising.
enum class CanvasWindow {
  kWhole,     // all of them, and all that is cached (the reference)
  kPerQuery,  // only those less than a window away, on either side
};

struct AttentionContext {
  const Gemma4Config& config;
  const LayerConfig& layer;
  int layer_index;
  Mode mode;
  CanvasWindow canvas_window;
  const RopeTable& rope;
  std::span<const Segment> segments;
};

// x [N, hidden] -> [N, hidden].
at::Tensor attention(const AttentionWeights& weights, const at::Tensor& x, const AttentionContext& context);

}  // namespace canvaslab::gemma4
