// RMS normalisation in one pass over memory, for float32 on the CPU, and its gradient. rms_norm() falls back
// to plain tensor operations everywhere else; those are also what its test compares it with.
#pragma once

#include <ATen/ATen.h>

namespace canvaslab {

bool fused_rms_norm_applies(const at::Tensor& x, const at::Tensor& weight);
at::Tensor fused_rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon);

// What fused_rms_norm's result passes back for an incoming gradient of x's shape. `by_weight` is undefined
// where there is no weight.
struct FusedNormGradient {
  at::Tensor by_x, by_weight;
};
FusedNormGradient fused_rms_norm_gradient(const at::Tensor& x, const at::Tensor& weight, double epsilon,
                                          const at::Tensor& incoming);

}  // namespace canvaslab
