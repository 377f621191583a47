// Validation by really sampling: the averaged weights answer prompts of the validation split, with the
// sampler that the configuration describes.
#pragma once

#include <vector>

#include "experiments/tasks/task.h"
#include "experiments/training/trainer.h"
#include "samplers/sample.h"

namespace canvaslab {

struct ValidationReport {
  std::int64_t samples = 0, graded = 0, right = 0;
  double steps_per_canvas = 0;
  double seconds = 0;

  // The share of the graded answers that are right; 0 where nothing is graded.
  double quality() const { return graded > 0 ? static_cast<double>(right) / static_cast<double>(graded) : 0; }
};

class Validation {
 public:
  // ConfigurationError when the sampler's settings, the prompts and the model do not fit together. Both
  // outlive this.
  Validation(const Trainer& trainer, const TrainConfig& config);

  // Throws Interrupted when a signal came.
  ValidationReport run() const;

  size_t samples() const { return items_.size(); }

 private:
  const Trainer& trainer_;
  const TrainConfig& config_;
  std::vector<TaskItem> items_;
  std::vector<SampleRequest> requests_;
};

}  // namespace canvaslab
