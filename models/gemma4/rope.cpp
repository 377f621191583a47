#include "models/gemma4/rope.h"

#include <cmath>

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

}  // namespace

RopeTable rope_table(const LayerConfig& layer, const at::Tensor& positions, at::ScalarType type) {
  const at::Tensor angle =
      positions.to(at::kFloat).unsqueeze(-1) * frequencies(layer).to(positions.device()).unsqueeze(0);
  return {at::cos(angle).to(type).unsqueeze(1), at::sin(angle).to(type).unsqueeze(1)};
}

at::Tensor apply_rope(const at::Tensor& x, const RopeTable& table) {
  const auto halves = x.chunk(2, -1);
  const at::Tensor &first = halves[0], &second = halves[1];
  return at::cat({first * table.cosine - second * table.sine, second * table.cosine + first * table.sine},
                 -1);
}

}  // namespace canvaslab::gemma4
