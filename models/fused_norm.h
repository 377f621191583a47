// RMS normalisation in one pass over memory, for float32 on the CPU without gradients. rms_norm() falls back
// to plain tensor operations everywhere else; those are also what its test compares it with.
#pragma once

#include <ATen/ATen.h>

namespace canvaslab {

bool fused_rms_norm_applies(const at::Tensor& x, const at::Tensor& weight);
at::Tensor fused_rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon);

}  // namespace canvaslab
