// Validation by really sampling: the averaged weights answer prompts of the validation split, with the
// sampler that the configuration describes. And by their losses on that split, where the same rows get the
// same noise each time.
#pragma once

#include <string>
#include <vector>

#include "experiments/metrics.h"
#include "experiments/tasks/task.h"
#include "experiments/training/trainer.h"
#include "samplers/sample.h"

namespace canvaslab {

struct ValidationReport {
  std::int64_t samples = 0, graded = 0, right = 0;
  double steps_per_canvas = 0;
  HeldOut held_out;
  Metrics metrics;  // the task's, averaged over the answers that have them
  double seconds = 0;

  // The share of the graded answers that are right; 0 where nothing is graded.
  double quality() const { return graded > 0 ? static_cast<double>(right) / static_cast<double>(graded) : 0; }

  // For a progress line: "94.0 % right in 11.4 steps, held out 0.2213 denoising, 0.4801 causal".
  std::string in_short() const;
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
  std::vector<TrainingRow> rows_;  // the same prompts, for the held-out losses
};

}  // namespace canvaslab
