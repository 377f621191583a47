// What one row (one sample) has written into the key/value cache, layer by layer.
#pragma once

#include <ATen/ATen.h>

#include <vector>

namespace canvaslab::gemma4 {

// Keys (after norm and RoPE) and values of one layer: [kv_heads, cached, head_dim]. Full layers keep every
// token, sliding layers the last window - 1. Tensors are replaced, never written into, so rows may share
// them.
struct LayerCache {
  at::Tensor key, value;  // undefined until the first token

  int64_t length() const { return key.defined() ? key.size(-2) : 0; }
};

struct RowCache {
  std::vector<LayerCache> layers;
  // The cache of several rows of equal lengths, as those of a training batch: its tensors are
  // [rows, kv_heads, cached, head_dim], and one call attends for all rows.
  bool joint = false;
  int64_t seen = 0;  // tokens seen so far, padding not counted
  int64_t first_position =
      0;  // RoPE position of the first token: the padding in front of it (parity modes only)

  int64_t next_position() const { return first_position + seen; }
};

// A row's share of a packed batch: tokens begin .. begin + length - 1 of [N, hidden] belong to `cache`'s row.
// All of them may share one joint cache.
struct Segment {
  int64_t begin = 0;
  int64_t length = 0;
  RowCache* cache = nullptr;
  int64_t kept = length;  // its first tokens, which a prefill writes into the cache
};

}  // namespace canvaslab::gemma4
