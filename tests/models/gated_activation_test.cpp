// The fused activation and its gradient against plain tensor operations in float64.
#include "models/gated_activation.h"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

namespace canvaslab {
namespace {

TEST(GatedActivation, IsTanhGeluTimesUp) {
  at::manual_seed(1);
  for (const int64_t width : {1, 7, 16, 65}) {
    const at::Tensor gate = at::randn({33, width}) * 4, up = at::randn({33, width});
    const at::Tensor expected = at::gelu(gate.to(at::kDouble), "tanh") * up.to(at::kDouble);
    const at::Tensor error = (gated_activation(gate, up).to(at::kDouble) - expected).abs();
    EXPECT_LE((error / (1 + expected.abs())).max().item<double>(), 1e-6) << width;
  }
}

TEST(GatedActivation, LargeAndZeroArgumentsAreExact) {
  const at::Tensor gate = at::tensor({-1e4F, -30.0F, 0.0F, 30.0F, 1e4F}).unsqueeze(0);
  const at::Tensor out = gated_activation(gate, at::ones_like(gate));
  EXPECT_TRUE(out.equal(at::tensor({0.0F, 0.0F, 0.0F, 30.0F, 1e4F}).unsqueeze(0))) << out;
}

TEST(GatedActivation, ItsGradientIsThatOfTheDefinition) {
  at::manual_seed(2);
  const at::Tensor gate = (at::randn({21, 19}) * 3).set_requires_grad(true),
                   up = at::randn({21, 19}).set_requires_grad(true), incoming = at::randn({21, 19});
  const at::Tensor wide_gate = gate.detach().to(at::kDouble).set_requires_grad(true),
                   wide_up = up.detach().to(at::kDouble).set_requires_grad(true);
  const auto got = torch::autograd::grad({gated_activation(gate, up)}, {gate, up}, {incoming});
  const auto expected = torch::autograd::grad({at::gelu(wide_gate, "tanh") * wide_up}, {wide_gate, wide_up},
                                              {incoming.to(at::kDouble)});
  for (const size_t i : {0, 1})
    EXPECT_LE((got[i].to(at::kDouble) - expected[i]).abs().max().item<double>(), 3e-6) << i;
}

}  // namespace
}  // namespace canvaslab
