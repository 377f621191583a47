// Checkpoint folders in the Hugging Face layout: config.json, generation_config.json, tokenizer.json and the
// weights, in one model.safetensors or in several files under a model.safetensors.index.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "models/checkpoint/generation_config.h"
#include "models/checkpoint/safetensors.h"
#include "models/gemma4/config.h"

namespace canvaslab {

struct Checkpoint {
  Gemma4Config config;
  GenerationConfig generation;
  TensorMap
      tensors;  // those of expected_weights(config) and, untouched, the vision tower's; views of mapped files
  std::filesystem::path folder;
};

// Loads a folder. Everything is checked before a weight is used. Throws ConfigurationError for a folder that
// is not there (with the nearest name beside it) or has no config.json, for wrong configurations, a missing
// file, an index that disagrees with the files, damaged files, and tensors that are missing, surplus,
// misshapen, of an unsupported type, or in conflict with the tie flag: each names the file, the tensor, what
// was expected and found. Values are not looked at: weights that are not finite load.
Checkpoint load_checkpoint(const std::filesystem::path& folder);

// The same checks but for the values of tied weights, which takes no time: only configurations and headers
// are read. `tensors` stays empty.
Checkpoint inspect_checkpoint(const std::filesystem::path& folder);

// Writes a folder that load_checkpoint and the reference implementation load. `folder` must be new or empty:
// it appears under its name at once, complete, or not at all. Weights go to one file when they fit into
// `max_shard_bytes`, else to several (a single larger tensor has a file of its own). Throws
// ConfigurationError when the folder is not empty, and what the checks of load_checkpoint throw when tensors
// and configuration disagree.
void save_checkpoint(const std::filesystem::path& folder, const Gemma4Config& config,
                     const GenerationConfig& generation, const TensorMap& tensors,
                     const std::optional<std::string>& tokenizer_json = std::nullopt,
                     std::uint64_t max_shard_bytes = 5'000'000'000);

}  // namespace canvaslab
