// The config group `model`: what predicts, loaded with everything that belongs to it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "core/vocabulary.h"
#include "models/checkpoint/generation_config.h"
#include "models/denoiser.h"
#include "models/tokenizer/tokenizer.h"

namespace canvaslab {

class ExactDenoiser;

struct Model {
  std::unique_ptr<Denoiser> denoiser;
  Vocabulary vocabulary;
  std::optional<Tokenizer> tokenizer;
  GenerationConfig generation;
  std::filesystem::path folder;          // of a checkpoint; else empty
  const ExactDenoiser* exact = nullptr;  // the denoiser, where its predictions are true posteriors
};

class ModelSource {
 public:
  virtual ~ModelSource() = default;

  // Loads the model. ConfigurationError as load_checkpoint; nothing else has been started then.
  virtual Model load() const = 0;

  // The same without a denoiser, and with every check of load() that needs neither the weights' values nor
  // the device: for a look ahead.
  virtual Model inspect() const = 0;
};

}  // namespace canvaslab
