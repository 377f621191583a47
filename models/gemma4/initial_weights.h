// Weights to start training from.
#pragma once

#include <cstdint>
#include <string>

#include "models/checkpoint/safetensors.h"
#include "models/gemma4/config.h"

namespace canvaslab {

struct InitialScale {
  double embedding = 0.1;    // standard deviation of the embedding
  double projection = 0.02;  // and of every other matrix; norms and scales are 1
};

// Random float32 weights under their checkpoint names, the placeholder vision tower included that to_json
// writes into config.json. The same seed gives the same tensor whatever other tensors there are.
TensorMap initial_weights(const Gemma4Config& config, const InitialScale& scale, std::uint64_t seed);

// Whether training changes a tensor: not the vision tower, and not the layers' fixed output scalars.
bool is_trained(const std::string& name);

// Whether weight decay applies by default: matrices, but not norms, scales and the embedding.
bool is_decayed(const std::string& name);

}  // namespace canvaslab
