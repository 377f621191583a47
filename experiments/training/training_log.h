// The numbers of a training, step by step, and the HDF5 file that holds them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "experiments/training/trainer.h"
#include "experiments/training/validation.h"

namespace canvaslab {

class TrainingLog {
 public:
  void add(const StepReport& report, double tokens_per_second);
  void add(std::int64_t step, const ValidationReport& report);

  double best_quality() const;  // of the validations whose weights are kept; -1 before the first

  // From now on the validations so far do not count as the best: their weights were lost.
  void lose_kept_weights();

  bool graded() const;  // whether any validation graded an answer

  // Columns as float64 tensors, to be kept with a training's state; and back.
  TensorMap state() const;
  void load(const TensorMap& state);

  // Writes /training/NAME and /validation/NAME, one value a step or a validation, with units and
  // descriptions; to a temporary name that is renamed into place.
  void write(const std::filesystem::path& file) const;

 private:
  std::map<std::string, std::vector<double>> columns_;
};

}  // namespace canvaslab
