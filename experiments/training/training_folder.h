// What a training keeps on the disk: the point from which to resume, the best checkpoint so far, and the log.
//
//   state.safetensors   weights, moments, averages and log of the last saved step
//   checkpoint/         the averaged weights of the best validation, in the Hugging Face layout;
//                       where low-rank updates are trained, the adapter alone
//   metrics.h5          losses and validations, step by step
//
// Each is replaced at once or not at all, so that a kill at any moment leaves the last good one.
#pragma once

#include <filesystem>

#include "experiments/training/trainer.h"
#include "experiments/training/training_log.h"

namespace canvaslab {

class TrainingFolder {
 public:
  explicit TrainingFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void save_state(const Trainer& trainer, const TrainingLog& log) const;

  // Puts the last saved step back, if one was saved, and metrics.h5 where that is missing. ConfigurationError
  // when state.safetensors alone is missing.
  void load_state(Trainer& trainer, TrainingLog& log) const;

  // Whether the checkpoint is there, as far as its configuration and headers tell. One that was set aside
  // while the next was put in its place is put back.
  bool has_checkpoint() const;

  // `configuration`: the resolved YAML, which the model card repeats.
  void save_checkpoint(const Trainer& trainer, const ValidationReport& report,
                       const std::string& configuration) const;

  std::filesystem::path checkpoint() const { return folder_ / "checkpoint"; }

 private:
  std::filesystem::path folder_;
};

}  // namespace canvaslab
