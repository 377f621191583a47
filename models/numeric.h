// The few numerical building blocks that the backbone, the self-conditioning block and the head share.
//
// Activations are float32 or bfloat16. Where the reference computes in float32 inside a bfloat16 model, so do
// these.
#pragma once

#include <ATen/ATen.h>

namespace canvaslab {

// Root-mean-square normalisation over the last axis: x * (mean(x^2) + epsilon)^(-1/2) * weight, in float32
// with one cast back at the end. `weight` may be undefined: no scale (value norm, router norm,
// self-conditioning's outer norm).
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon);

// A low-rank update of a weight [out, in], trained instead of the weight (LoRA, arXiv 2106.09685): the
// product becomes x @ weight^T + scale * (x @ a^T) @ b^T.
struct LowRankUpdate {
  at::Tensor a, b;  // [rank, in], [out, rank]; undefined: no update
  double scale = 1;
};

struct Projection {
  at::Tensor weight;
  LowRankUpdate update = {};
};

// x @ weight^T for x [N, in], weight [out, in]. bfloat16 products on a CPU without bfloat16 units are
// computed in float32 and rounded once: the same result to bfloat16 precision, about 100 times faster there.
at::Tensor project(const at::Tensor& x, const at::Tensor& weight);
at::Tensor project(const at::Tensor& x, const Projection& projection);

// Whether this machine multiplies bfloat16 in hardware, for tensors on `device`.
bool has_bfloat16_units(const at::Device& device);

// down(gelu_tanh(gate x) * up x).
struct GatedMlp {
  Projection gate, up;  // [intermediate, hidden]
  Projection down;      // [hidden, intermediate]

  at::Tensor operator()(const at::Tensor& x) const;
};

}  // namespace canvaslab
