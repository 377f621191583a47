// Operations that bring their own gradient: what LibTorch's automatic differentiation needs to know of them.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <vector>

namespace canvaslab {

// Computes the result from the inputs, and appends to `kept` what the gradient will need.
using Forward = std::function<at::Tensor(std::vector<at::Tensor>& kept)>;

// From what was kept and the gradient of the result: the gradients of the inputs, in their order; undefined
// ones where there is none. `needed` says for each input whether anybody asks.
using Backward = std::function<std::vector<at::Tensor>(
    const std::vector<at::Tensor>& kept, const at::Tensor& incoming, const std::vector<bool>& needed)>;

// `inputs` may hold undefined tensors. The forward's result, attached to its inputs where gradients are
// recorded; just the result elsewhere.
at::Tensor differentiable(const std::vector<at::Tensor>& inputs, const Forward& forward,
                          const Backward& backward);

}  // namespace canvaslab
