// Self-conditioning: how the previous step's probabilities enter the next denoising pass.
//
// With s = (probabilities @ E) * scale, the soft embedding, or zeros when there is no previous step, the
// decoder's input is
//   x0 = rms( E[token] * scale + MLP(rms_w(s)) ).
// The outer norm applies in either case, so the decoder's input always has unit root mean square.
#pragma once

#include <ATen/ATen.h>

#include "models/numeric.h"
#include "models/self_conditioning_kind.h"

namespace canvaslab {

struct SelfConditioningBlock {
  at::Tensor pre_norm;  // [hidden]
  GatedMlp mlp;
  double epsilon;

  // embedded, soft_embedding [N, hidden] -> the input of the first decoder layer, [N, hidden].
  at::Tensor operator()(const at::Tensor& embedded, const at::Tensor& soft_embedding) const {
    return rms_norm(embedded + mlp(rms_norm(soft_embedding, pre_norm, epsilon)), {}, epsilon);
  }
};

}  // namespace canvaslab
