#include "experiments/tensor_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"
#include "core/nearest.h"

namespace canvaslab {
namespace {

// A damaged input file is a wrong argument: nothing was started.
TensorMap read_inputs(const std::filesystem::path& file) {
  try {
    return read_safetensors(file);
  } catch (const Error& error) {
    throw ConfigurationError(error.what());
  }
}

}  // namespace

TensorInputs::TensorInputs(const std::filesystem::path& file)
    : file_(file.string()), tensors_(read_inputs(file)) {}

at::Tensor TensorInputs::integers(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end())
    throw ConfigurationError(fmt::format("{}: tensor '{}' is missing", file_, name));
  const at::Tensor& tensor = found->second;
  if (tensor.dim() != 2 || tensor.size(0) == 0) {
    throw ConfigurationError(
        fmt::format("{}: '{}' has {} axes, expected 2 with at least one row", file_, name, tensor.dim()));
  }
  if (!at::isIntegralType(tensor.scalar_type(), /*includeBool=*/true)) {
    throw ConfigurationError(fmt::format("{}: '{}' holds {}, expected integers", file_, name,
                                         c10::toString(tensor.scalar_type())));
  }
  return tensor.to(at::kLong);
}

at::Tensor TensorInputs::optional_integers(const std::string& name) const {
  return has(name) ? integers(name) : at::Tensor();
}

at::Tensor TensorInputs::optional_reals(const std::string& name) const {
  return has(name) ? tensors_.at(name).to(at::kFloat) : at::Tensor();
}

void TensorInputs::warn_of_unknown(const std::vector<std::string>& known) const {
  for (const auto& [name, tensor] : tensors_) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    fmt::print(stderr, "{}: tensor '{}' is not used{}; known are {}\n", file_, name,
               did_you_mean(name, known), fmt::join(known, ", "));
  }
}

}  // namespace canvaslab
