// A checkpoint's tensors by name, cast once, with the low-rank updates (LoRA) that may stand beside them.
#pragma once

#include <ATen/ATen.h>

#include <map>
#include <string>

#include "models/numeric.h"

namespace canvaslab::gemma4 {

class WeightSource {
 public:
  // Casts to `type` (float32 or bfloat16) on `device`. `tensors` outlives this. `update_scale` multiplies
  // every update.
  WeightSource(const std::map<std::string, at::Tensor>& tensors, at::ScalarType type, at::Device device,
               double update_scale);

  // Error when it is not there.
  at::Tensor operator()(const std::string& name) const;

  // "NAME.weight", with its update.
  Projection projection(const std::string& name) const { return {(*this)(name + ".weight"), update(name)}; }

  // "NAME.lora_A.weight" and "NAME.lora_B.weight", if they are there.
  LowRankUpdate update(const std::string& name) const;

 private:
  const std::map<std::string, at::Tensor>& tensors_;
  at::TensorOptions options_;
  double update_scale_;
};

}  // namespace canvaslab::gemma4
