// A safetensors file of inputs, read with checks that name the file and the tensor.
#pragma once

#include <ATen/ATen.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/error.h"
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

  // Runs `use`, which looks at the tensors more closely; what it refuses is told with the file's name.
  template <class Use>
  auto checked(Use use) const {
    try {
      return use();
    } catch (const ConfigurationError& error) {
      const std::string text = error.what();
      throw ConfigurationError(text.starts_with(file_) ? text : file_ + ": " + text);
    }
  }

  // Says on stderr which tensors are not among `known` and so are not used, with the nearest name.
  void warn_of_unknown(const std::vector<std::string>& known) const;

 private:
  std::string file_;
  TensorMap tensors_;
};

// Refuses a place where no file can be written, before any work is done (ConfigurationError).
void check_output_file(const std::filesystem::path& file);

}  // namespace canvaslab
