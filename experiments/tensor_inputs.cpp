#include "experiments/tensor_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/error.h"
#include "core/nearest.h"
#include "core/standard_streams.h"

namespace canvaslab {

TensorInputs::TensorInputs(const std::filesystem::path& file)
    : file_(file.string()), tensors_(as_wrong_input([&] { return read_safetensors(file); })) {}

at::Tensor TensorInputs::integers(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end())
    throw ConfigurationError(fmt::format("{}: tensor '{}' is missing", file_, name));
  const at::Tensor& tensor = found->second;
  if (tensor.dim() != 2 || tensor.size(0) == 0) {
    throw ConfigurationError(fmt::format("{}: '{}' has shape [{}], expected two axes and at least one row",
                                         file_, name, fmt::join(tensor.sizes(), ", ")));
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
    tell(fmt::format("{}: tensor '{}' is not used{}; known are {}\n", file_, name, did_you_mean(name, known),
                     fmt::join(known, ", ")));
  }
}

void check_output_file(const std::filesystem::path& file) {
  const std::filesystem::path folder =
      file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    throw ConfigurationError(fmt::format("{}: expected an existing folder to write into, found no folder {}",
                                         file.string(), folder.string()));
  }
  if (std::filesystem::is_directory(file, ignored)) {
    throw ConfigurationError(
        fmt::format("{}: expected the name of a file to write, found a folder", file.string()));
  }
  if (access(folder.c_str(), W_OK) != 0) {
    throw ConfigurationError(
        fmt::format("{}: {} cannot be written: {}", file.string(), folder.string(), std::strerror(errno)));
  }
}

}  // namespace canvaslab
