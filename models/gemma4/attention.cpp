#include "models/gemma4/attention.h"

#include <ATen/Parallel.h>

#include <algorithm>

#include "models/numeric.h"

namespace canvaslab::gemma4 {
namespace {

constexpr int64_t kQueryBlock = 512;  // bounds the mask of a long prefill to [512, keys]

// softmax(q k^T + mask) v with scale 1; q [kv, queries, d], k and v [kv, keys, d].
at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const at::Tensor& allowed) {
  const std::optional<at::Tensor> mask =
      allowed.defined() ? std::optional<at::Tensor>(allowed.unsqueeze(0).unsqueeze(0)) : std::nullopt;
  const at::ScalarType type = q.scalar_type();
  const at::ScalarType inner = type == at::kBFloat16 && !has_bfloat16_units(q.device()) ? at::kFloat : type;
  return at::scaled_dot_product_attention(q.unsqueeze(0).to(inner), k.unsqueeze(0).to(inner),
                                          v.unsqueeze(0).to(inner), mask, 0.0, false, 1.0)
      .squeeze(0)
      .to(type);
}

// Which of keys first_key .. last_key - 1 queries first .. last - 1 may see; indices count from the row's
// oldest cached token. Undefined where nothing is hidden. [queries, keys] bool.
at::Tensor visibility(int64_t first, int64_t last, int64_t first_key, int64_t last_key,
                      const AttentionContext& context, const at::Device& device) {
  const int64_t window = context.config.sliding_window;
  const bool causal = context.mode == Mode::kPrefill;
  const bool per_query = !causal && !context.layer.full && context.canvas_window == CanvasWindow::kPerQuery;
  if (!causal && !per_query) return {};
  const auto options = at::TensorOptions().dtype(at::kLong).device(device);
  const at::Tensor query = at::arange(first, last, options).unsqueeze(1);
  const at::Tensor key = at::arange(first_key, last_key, options).unsqueeze(0);
  if (per_query) return (key - query).abs() < window;
  at::Tensor allowed = key <= query;
  if (!context.layer.full) allowed = allowed & (key > query - window);
  return allowed;
}

// One row: q [length, heads, d], k and v [kv, cached + length, d] -> [length, heads * d].
at::Tensor attend_row(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, int64_t cached,
                      const AttentionContext& context) {
  const int64_t length = q.size(0), heads = q.size(1), dim = q.size(2);
  const int64_t kv_heads = k.size(0), group = heads / kv_heads;
  const bool causal = context.mode == Mode::kPrefill;
  std::vector<at::Tensor> blocks;
  for (int64_t begin = 0; begin < length; begin += causal ? kQueryBlock : length) {
    const int64_t end = causal ? std::min(length, begin + kQueryBlock) : length;
    const int64_t last_key = causal ? cached + end : cached + length;
    const int64_t first_key = causal && !context.layer.full
                                  ? std::max<int64_t>(0, cached + begin - context.config.sliding_window + 1)
                                  : 0;
    at::Tensor allowed = visibility(cached + begin, cached + end, first_key, last_key, context, q.device());
    if (allowed.defined()) allowed = allowed.repeat({group, 1});
    // Query heads that share a key head are stacked along the query axis: no key is ever copied.
    const at::Tensor stacked = q.narrow(0, begin, end - begin)
                                   .view({end - begin, kv_heads, group, dim})
                                   .permute({1, 2, 0, 3})
                                   .reshape({kv_heads, group * (end - begin), dim});
    const at::Tensor out = attend(stacked, k.narrow(1, first_key, last_key - first_key),
                                  v.narrow(1, first_key, last_key - first_key), allowed);
    blocks.push_back(out.view({kv_heads, group, end - begin, dim})
                         .permute({2, 0, 1, 3})
                         .reshape({end - begin, heads * dim}));
  }
  return blocks.size() == 1 ? blocks[0] : at::cat(blocks);
}

// With memory of its own: a slice of the batch would keep the other rows' memory alive for as long as its row
// lives.
at::Tensor owned(const at::Tensor& slice) {
  return slice.storage().nbytes() > slice.nbytes() ? slice.clone() : slice;
}

// Which of a row's keys, `cached` old ones and a segment's, stay in the cache: the first, and how many.
std::pair<int64_t, int64_t> kept_range(int64_t cached, const Segment& segment,
                                       const AttentionContext& context) {
  const int64_t total = cached + segment.kept;
  const int64_t kept =
      context.layer.full ? total : std::min<int64_t>(total, context.config.sliding_window - 1);
  return {total - kept, kept};
}

// k and v [kv, cached + length, d].
void remember(const Segment& segment, const at::Tensor& k, const at::Tensor& v,
              const AttentionContext& context) {
  LayerCache& cache = segment.cache->layers[context.layer_index];
  const auto [first, kept] = kept_range(cache.length(), segment, context);
  cache.key = owned(k.narrow(1, first, kept));
  cache.value = owned(v.narrow(1, first, kept));
}

// All rows in one call; they share a cache. q [N, heads, d], k and v [N, kv, d] -> [N, heads * d].
at::Tensor attend_together(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const AttentionContext& context) {
  const auto rows = static_cast<int64_t>(context.segments.size());
  const Segment& segment = context.segments.front();
  LayerCache& cache = segment.cache->layers[context.layer_index];
  const int64_t length = segment.length, cached = cache.length(), kv_heads = k.size(1), dim = k.size(2),
                group = q.size(1) / kv_heads;
  const auto with_cache = [&](const at::Tensor& before, const at::Tensor& fresh) {
    const at::Tensor mine = fresh.view({rows, length, kv_heads, dim}).transpose(1, 2);
    return cached == 0 ? mine.contiguous() : at::cat({before, mine}, 2);
  };
  const at::Tensor keys = with_cache(cache.key, k), values = with_cache(cache.value, v);
  at::Tensor allowed = visibility(cached, cached + length, 0, cached + length, context, q.device());
  if (allowed.defined()) allowed = allowed.repeat({group, 1});
  const at::Tensor stacked = q.view({rows, length, kv_heads, group, dim})
                                 .permute({0, 2, 3, 1, 4})
                                 .reshape({rows, kv_heads, group * length, dim});
  const std::optional<at::Tensor> mask =
      allowed.defined() ? std::optional<at::Tensor>(allowed) : std::nullopt;
  const at::Tensor out = at::scaled_dot_product_attention(stacked, keys, values, mask, 0.0, false, 1.0);
  if (context.mode == Mode::kPrefill) {
    const auto [first, kept] = kept_range(cached, segment, context);
    cache.key = keys.narrow(2, first, kept), cache.value = values.narrow(2, first, kept);
  }
  return out.view({rows, kv_heads, group, length, dim})
      .permute({0, 3, 1, 2, 4})
      .reshape({rows * length, q.size(1) * dim});
}

}  // namespace

at::Tensor attention(const AttentionWeights& weights, const at::Tensor& x, const AttentionContext& context) {
  const LayerConfig& layer = context.layer;
  const double epsilon = context.config.rms_norm_eps;
  const int64_t tokens = x.size(0), heads = context.config.num_attention_heads;
  const at::Tensor raw_key = project(x, weights.key).view({tokens, layer.kv_heads, layer.head_dim});
  const at::Tensor raw_value =
      layer.full ? raw_key : project(x, weights.value).view({tokens, layer.kv_heads, layer.head_dim});
  const at::Tensor query = apply_rope(
      rms_norm(project(x, weights.query).view({tokens, heads, layer.head_dim}), weights.query_norm, epsilon),
      context.rope);
  const at::Tensor key = apply_rope(rms_norm(raw_key, weights.key_norm, epsilon), context.rope);
  const at::Tensor value = rms_norm(raw_value, {}, epsilon);

  // A sampled row is computed by itself, so that its rounding cannot depend on the batch.
  if (!context.segments.empty() && context.segments.front().cache->joint)
    return project(attend_together(query, key, value, context), weights.output);
  std::vector<at::Tensor> rows(context.segments.size());
  at::parallel_for(0, static_cast<int64_t>(rows.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const Segment& segment = context.segments[r];
      LayerCache& cache = segment.cache->layers[context.layer_index];
      const int64_t cached = cache.length();
      at::Tensor k = key.narrow(0, segment.begin, segment.length).transpose(0, 1);
      at::Tensor v = value.narrow(0, segment.begin, segment.length).transpose(0, 1);
      k = cached > 0 ? at::cat({cache.key, k}, 1) : k.contiguous();
      v = cached > 0 ? at::cat({cache.value, v}, 1) : v.contiguous();
      rows[r] = attend_row(query.narrow(0, segment.begin, segment.length), k, v, cached, context);
      if (context.mode == Mode::kPrefill) remember(segment, k, v, context);
    }
  });
  return project(at::cat(rows), weights.output);
}

}  // namespace canvaslab::gemma4
