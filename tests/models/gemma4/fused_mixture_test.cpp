// The fused mixture and its gradient against the one of plain tensor operations, in float64.
#include "models/gemma4/fused_mixture.h"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

namespace canvaslab::gemma4 {
namespace {

struct Made {
  ExpertWeights experts;
  Routing routing;
  at::Tensor x;

  Made(int64_t tokens, int64_t hidden, int64_t inner, int64_t count, int64_t chosen, bool one_expert_idle) {
    experts = {at::randn({count, 2 * inner, hidden}), at::randn({count, hidden, inner})};
    x = at::randn({tokens, hidden});
    at::Tensor scores = at::rand({tokens, count});
    if (one_expert_idle) scores.select(1, 0).fill_(-1);
    const auto [top, indices] = at::topk(scores, chosen, -1);
    routing = {indices, top / top.sum(-1, true), {}};
  }

  Made wide() const {
    Made other = *this;
    for (at::Tensor* tensor : {&other.experts.gate_up, &other.experts.down, &other.routing.weights, &other.x})
      *tensor = tensor->detach().to(at::kDouble).set_requires_grad(true);
    return other;
  }

  Made learning() const {
    Made other = *this;
    for (at::Tensor* tensor : {&other.experts.gate_up, &other.experts.down, &other.routing.weights, &other.x})
      *tensor = tensor->detach().clone().set_requires_grad(true);
    return other;
  }

  std::vector<at::Tensor> leaves() const { return {x, routing.weights, experts.gate_up, experts.down}; }
};

double distance(const at::Tensor& got, const at::Tensor& expected) {
  return (got.to(at::kDouble) - expected).abs().max().item<double>() /
         (1 + expected.abs().max().item<double>());
}

// mixture_reference sums in float32 whatever its input; this is the definition in float64.
at::Tensor definition(const Made& made) {
  at::Tensor sum = at::zeros_like(made.x);
  const int64_t inner = made.experts.down.size(2);
  for (int64_t k = 0; k < made.routing.indices.size(1); ++k) {
    const at::Tensor expert = made.routing.indices.select(1, k);
    const at::Tensor both =
        at::bmm(made.experts.gate_up.index_select(0, expert), made.x.unsqueeze(2)).squeeze(2);
    const at::Tensor middle = at::gelu(both.narrow(1, 0, inner), "tanh") * both.narrow(1, inner, inner);
    const at::Tensor out = at::bmm(made.experts.down.index_select(0, expert), middle.unsqueeze(2)).squeeze(2);
    sum = sum + out * made.routing.weights.narrow(1, k, 1);
  }
  return sum;
}

TEST(FusedMixture, IsTheWeightedSumOfTheChosenExperts) {
  at::manual_seed(3);
  for (const bool idle : {false, true}) {
    for (const auto& [tokens, hidden, inner, count, chosen] :
         {std::array<int64_t, 5>{1, 8, 4, 3, 1}, {37, 16, 12, 5, 2}, {130, 24, 40, 8, 4}, {9, 5, 3, 9, 8}}) {
      const Made made(tokens, hidden, inner, count, chosen, idle);
      ASSERT_TRUE(fused_mixture_applies(made.experts, made.routing, made.x));
      const at::Tensor expected = definition(made.wide());
      EXPECT_LE(distance(fused_mixture(made.experts, made.routing, made.x), expected), 1e-5);
      EXPECT_LE(distance(mixture_reference(made.experts, made.routing, made.x), expected), 1e-5);
    }
  }
}

TEST(FusedMixture, ItsGradientIsThatOfTheDefinition) {
  at::manual_seed(4);
  for (const bool idle : {false, true}) {
    const Made made = Made(41, 16, 12, 6, 3, idle), learning = made.learning(), wide = made.wide();
    const at::Tensor incoming = at::randn_like(made.x);
    const auto got = torch::autograd::grad({fused_mixture(learning.experts, learning.routing, learning.x)},
                                           learning.leaves(), {incoming});
    const auto expected =
        torch::autograd::grad({definition(wide)}, wide.leaves(), {incoming.to(at::kDouble)});
    for (size_t i = 0; i < got.size(); ++i) EXPECT_LE(distance(got[i], expected[i]), 1e-5) << i;
  }
}

TEST(FusedMixture, AFrozenExpertGetsNoGradient) {
  at::manual_seed(5);
  Made made = Made(10, 8, 4, 3, 2, false).learning();
  made.experts.gate_up = made.experts.gate_up.detach();
  const at::Tensor out = fused_mixture(made.experts, made.routing, made.x);
  const auto got = torch::autograd::grad({out}, {made.x, made.experts.down}, {at::ones_like(out)});
  EXPECT_TRUE(got[0].defined() && got[1].defined());
}

}  // namespace
}  // namespace canvaslab::gemma4
