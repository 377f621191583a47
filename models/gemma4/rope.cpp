#include "models/gemma4/rope.h"

#include <ATen/Parallel.h>

#include <cmath>

#include "models/differentiable.h"
#include "models/instruction_sets.h"
#include "models/row_grain.h"

namespace canvaslab::gemma4 {
namespace {

at::Tensor frequencies(const LayerConfig& layer) {
  const int64_t pairs = layer.head_dim / 2;
  const int64_t rotated =
      layer.rope.kind == RopeKind::kProportional
          ? static_cast<int64_t>(std::floor(layer.rope.partial_rotary_factor * layer.head_dim / 2))
          : pairs;
  const at::Tensor exponent = at::arange(0, 2 * rotated, 2, at::kFloat) / static_cast<double>(layer.head_dim);
  const at::Tensor rotating = at::reciprocal(at::pow(layer.rope.theta, exponent)) / layer.rope.factor;
  return at::cat({rotating, at::zeros({pairs - rotated}, at::kFloat)});
}

// Rotates one head of `pairs` pairs, by -angle where `sign` is -1.
CANVASLAB_EVERY_INSTRUCTION_SET
void rotate_head(const float* x, const float* cosine, const float* sine, float sign, float* out,
                 int64_t pairs) {
#pragma omp simd
  for (int64_t i = 0; i < pairs; ++i) {
    const float first = x[i], second = x[pairs + i], s = sign * sine[i];
    out[i] = first * cosine[i] - second * s;
    out[pairs + i] = second * cosine[i] + first * s;
  }
}

at::Tensor rotate(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine, float sign) {
  at::Tensor out = at::empty_like(x);
  const int64_t heads = x.size(1), width = x.size(2), pairs = width / 2;
  const float *from = x.const_data_ptr<float>(), *c = cosine.const_data_ptr<float>(),
              *s = sine.const_data_ptr<float>();
  float* to = out.mutable_data_ptr<float>();
  at::parallel_for(0, x.size(0), row_grain(heads * width), [&](int64_t begin, int64_t end) {
    for (int64_t token = begin; token < end; ++token) {
      for (int64_t h = token * heads; h < (token + 1) * heads; ++h)
        rotate_head(from + h * width, c + token * pairs, s + token * pairs, sign, to + h * width, pairs);
    }
  });
  return out;
}

}  // namespace

RopeTable rope_table(const LayerConfig& layer, const at::Tensor& positions, at::ScalarType type) {
  const at::Tensor angle =
      positions.to(at::kFloat).unsqueeze(-1) * frequencies(layer).to(positions.device()).unsqueeze(0);
  return {at::cos(angle).to(type).unsqueeze(1), at::sin(angle).to(type).unsqueeze(1)};
}

at::Tensor apply_rope(const at::Tensor& x, const RopeTable& table) {
  if (x.is_cpu() && x.scalar_type() == at::kFloat && x.is_contiguous()) {
    return differentiable(
        {x},
        [&](std::vector<at::Tensor>& kept) {
          kept = {table.cosine, table.sine};
          return rotate(x, table.cosine, table.sine, 1.0F);
        },
        [](const std::vector<at::Tensor>& kept, const at::Tensor& incoming, const std::vector<bool>&) {
          return std::vector<at::Tensor>{rotate(incoming, kept[0], kept[1], -1.0F)};
        });
  }
  const auto halves = x.chunk(2, -1);
  const at::Tensor &first = halves[0], &second = halves[1];
  return at::cat({first * table.cosine - second * table.sine, second * table.cosine + first * table.sine},
                 -1);
}

}  // namespace canvaslab::gemma4
