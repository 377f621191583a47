#include "models/gemma4/weight_source.h"

#include <fmt/format.h>

#include "core/error.h"

namespace canvaslab::gemma4 {

WeightSource::WeightSource(const std::map<std::string, at::Tensor>& tensors, at::ScalarType type,
                           at::Device device, double update_scale)
    : tensors_(tensors),
      options_(at::TensorOptions().dtype(type).device(device)),
      update_scale_(update_scale) {}

at::Tensor WeightSource::operator()(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) throw Error(fmt::format("the checkpoint has no tensor '{}'", name));
  return found->second.to(options_).contiguous();
}

LowRankUpdate WeightSource::update(const std::string& name) const {
  if (!tensors_.contains(name + ".lora_A.weight")) return {};
  return {(*this)(name + ".lora_A.weight"), (*this)(name + ".lora_B.weight"), update_scale_};
}

}  // namespace canvaslab::gemma4
