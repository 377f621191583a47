// LoRA adapters (arXiv 2106.09685): low-rank updates of some of a checkpoint's weights, kept apart from it.
//
// A folder holds adapter_config.json and adapter_model.safetensors, named as PEFT names them: the update of
// the weight NAME.weight is base_model.model.NAME.lora_A.weight [rank, in] and .lora_B.weight [out, rank].
// The experts of a layer are one tensor [experts, out, in], so theirs have the experts in front: [experts,
// rank, in] and [experts, out, rank].
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "models/checkpoint/safetensors.h"

namespace canvaslab {

struct Adapter {
  std::int64_t rank = 0;
  double alpha = 0;
  std::vector<std::string> targets;  // "attention", "mlp", "experts"
  std::string base;                  // the checkpoint that it belongs to
  TensorMap tensors;                 // under the names of the weights, without PEFT's prefix

  double scale() const { return alpha / static_cast<double>(rank); }
};

// The names of the targets.
const std::vector<std::string>& adapter_targets();

// An update of every weight of the targets that changes nothing yet: a is random, b is 0.
TensorMap initial_adapter(const TensorMap& weights, std::int64_t rank,
                          const std::vector<std::string>& targets, std::uint64_t seed);

// Whether a tensor is part of an adapter.
bool is_adapter_weight(const std::string& name);

void save_adapter(const std::filesystem::path& folder, const Adapter& adapter);

// ConfigurationError when the folder holds no adapter, or a damaged one.
Adapter load_adapter(const std::filesystem::path& folder);

// The weights with the updates added, in the weights' own types. ConfigurationError when the adapter does not
// belong to such a checkpoint: names and shapes must fit.
TensorMap merged(const TensorMap& weights, const Adapter& adapter);

}  // namespace canvaslab
