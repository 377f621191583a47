// The experts' weighted sum with a gradient of its own, for float32 on the CPU: tokens are sorted by expert
// once, every expert is two matrix products, and nothing is scattered by tensor operations.
#pragma once

#include "models/gemma4/moe.h"

namespace canvaslab::gemma4 {

bool fused_mixture_applies(const ExpertWeights& experts, const Routing& routing, const at::Tensor& x);

// As mixture_reference(); differentiable by x, the routing's weights and the experts.
at::Tensor fused_mixture(const ExpertWeights& experts, const Routing& routing, const at::Tensor& x);

}  // namespace canvaslab::gemma4
