// The fused rotation and its gradient against the formula in float64.
#include "models/gemma4/rope.h"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

namespace canvaslab::gemma4 {
namespace {

at::Tensor definition(const at::Tensor& x, const RopeTable& table) {
  const auto halves = x.chunk(2, -1);
  const at::Tensor cosine = table.cosine.to(at::kDouble), sine = table.sine.to(at::kDouble);
  return at::cat({halves[0] * cosine - halves[1] * sine, halves[1] * cosine + halves[0] * sine}, -1);
}

TEST(Rope, RotatesEveryHeadAndItsGradientRotatesBack) {
  at::manual_seed(1);
  for (const int64_t width : {2, 6, 32, 34}) {
    LayerConfig layer;
    layer.head_dim = width;
    const RopeTable table = rope_table(layer, at::arange(3, 14), at::kFloat);
    const at::Tensor x = at::randn({11, 3, width}).set_requires_grad(true),
                     incoming = at::randn({11, 3, width});
    const at::Tensor wide = x.detach().to(at::kDouble).set_requires_grad(true);
    const at::Tensor got = apply_rope(x, table), expected = definition(wide, table);
    EXPECT_LE((got - expected).abs().max().item<double>(), 1e-6);
    const at::Tensor by_got = torch::autograd::grad({got}, {x}, {incoming})[0],
                     by_expected = torch::autograd::grad({expected}, {wide}, {incoming.to(at::kDouble)})[0];
    EXPECT_LE((by_got - by_expected).abs().max().item<double>(), 1e-6);
  }
}

}  // namespace
}  // namespace canvaslab::gemma4
