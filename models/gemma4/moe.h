// The mixture of experts: a router that picks the top-k experts of each token, and the experts.
#pragma once

#include <ATen/ATen.h>

#include "models/numeric.h"

namespace canvaslab::gemma4 {

struct RouterWeights {
  at::Tensor scale;             // [hidden]
  at::Tensor projection;        // [experts, hidden]
  at::Tensor per_expert_scale;  // [experts]
};

struct ExpertWeights {
  at::Tensor gate_up;  // [experts, 2 * intermediate, hidden]: gate rows first, then up
  at::Tensor down;     // [experts, hidden, intermediate]
  LowRankUpdate gate_up_update = {}, down_update = {};  // [experts, rank, in], [experts, out, rank]
};

// Which experts each token goes to, by falling probability, and with what weight.
struct Routing {
  at::Tensor indices;  // int64 [N, K]
  at::Tensor
      weights;  // float32 [N, K]: probabilities normalised over the K chosen, times the per-expert scale
  at::Tensor probabilities;  // float32 [N, experts]: the router's softmax
};

// The router sees the residual stream itself, x [N, hidden], not the normalised one that the experts see.
Routing route(const RouterWeights& router, const at::Tensor& x, int64_t experts_per_token, double epsilon);

// Sum over the chosen experts of weight * down(gelu_tanh(gate x) * up x), x [N, hidden]. The sum runs in the
// routing's order, so a token's result does not depend on which tokens share its experts.
at::Tensor mixture(const ExpertWeights& experts, const Routing& routing, const at::Tensor& x);

// The same by tensor operations alone: for other devices and precisions, and the test's reference.
at::Tensor mixture_reference(const ExpertWeights& experts, const Routing& routing, const at::Tensor& x);

}  // namespace canvaslab::gemma4
