// The config group `initial`: what a training starts from.
#pragma once

#include <cstdint>
#include <string>

#include "experiments/tasks/task.h"
#include "models/checkpoint/generation_config.h"
#include "models/checkpoint/safetensors.h"
#include "models/gemma4/config.h"

namespace canvaslab {

// Everything that a checkpoint consists of, in memory, weights in float32.
struct ModelParts {
  Gemma4Config config;
  GenerationConfig generation;
  TensorMap weights;
  std::string tokenizer_json;
  std::filesystem::path origin;  // the folder it was read from; empty: made anew
};

class InitialModel {
 public:
  virtual ~InitialModel() = default;

  // ConfigurationError when it does not fit the task.
  virtual ModelParts make(const Task& task, std::uint64_t seed) const = 0;
};

}  // namespace canvaslab
