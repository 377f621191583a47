// Validation by really sampling: the averaged weights answer prompts of the validation split, with the
// sampler that the configuration describes.
#pragma once

#include "experiments/training/trainer.h"

namespace canvaslab {

struct ValidationReport {
  std::int64_t samples = 0, graded = 0, right = 0;
  double steps_per_canvas = 0;
  double seconds = 0;

  double quality() const { return graded > 0 ? static_cast<double>(right) / static_cast<double>(graded) : 0; }
};

ValidationReport validate(const Trainer& trainer, const TrainConfig& config);

}  // namespace canvaslab
