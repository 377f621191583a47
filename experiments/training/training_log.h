// The numbers of a training, step by step, and the HDF5 file that holds them.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiments/training/trainer.h"
#include "experiments/training/validation.h"

namespace canvaslab {

class TrainingLog {
 public:
  void add(const StepReport& report, double tokens_per_second);
  void add(std::int64_t step, const ValidationReport& report);

  // What the kept weights were chosen for: the share of right answers where the task grades, else a low
  // held-out denoising loss.
  struct Kept {
    bool graded = false;
    double quality = 0, denoising = 0;

    Kept(bool is_graded, double share, double loss) : graded(is_graded), quality(share), denoising(loss) {}
    explicit Kept(const ValidationReport& report)
        : Kept(report.graded > 0, report.quality(), report.held_out.denoising) {}

    bool at_least_as_good_as(const Kept& other) const;
  };

  // Of the validation whose weights are kept: the newest of the best. Nothing before the first.
  std::optional<Kept> kept() const;

  // From now on the validations so far do not count as the best: their weights were lost.
  void lose_kept_weights();

  // Columns as float64 tensors, to be kept with a training's state; and back.
  TensorMap state() const;
  void load(const TensorMap& state);

  // Writes /training/NAME and /validation/NAME, one value a step or a validation, with units and
  // descriptions; to a temporary name that is renamed into place.
  void write(const std::filesystem::path& file) const;

 private:
  size_t validations() const;

  std::map<std::string, std::vector<double>> columns_;
};

}  // namespace canvaslab
