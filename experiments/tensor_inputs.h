// A safetensors file of inputs, read with checks that name the file and the tensor.
#pragma once

#include <ATen/ATen.h>

#include <filesystem>
#include <string>
#include <vector>

#include "models/checkpoint/safetensors.h"

namespace canvaslab {

class TensorInputs {
 public:
  explicit TensorInputs(const std::filesystem::path& file);

  bool has(const std::string& name) const { return tensors_.contains(name); }

  // int64 [B, n]. ConfigurationError when it is absent, has another rank or is not of an integer type.
  at::Tensor integers(const std::string& name) const;
  at::Tensor optional_integers(const std::string& name) const;  // undefined when absent
  at::Tensor optional_reals(const std::string& name) const;     // float32, any shape; undefined when absent

  // Says on stderr which tensors are not among `known` and so are not used, with the nearest name.
  void warn_of_unknown(const std::vector<std::string>& known) const;

 private:
  std::string file_;
  TensorMap tensors_;
};

}  // namespace canvaslab
