#include "samplers/current_shift.h"

#include "core/error.h"

namespace canvaslab {

void check_prediction_kind(const Denoiser& denoiser, const Rules& rules) {
  if (rules.selection.needs().leave_one_out == denoiser.leave_one_out()) return;
  if (rules.noise.leave_one_out_shift(0, rules.vocabulary)) return;
  if (denoiser.leave_one_out()) {
    throw ConfigurationError(
        "selection: the rule needs full predictions and the model gives leave-one-out ones, which this noise "
        "process cannot turn into each other; use noise=uniform");
  }
  throw ConfigurationError(
      "selection: the rule needs leave-one-out predictions, which this noise process does not have; use "
      "noise=uniform");
}

float current_shift(const Denoiser& denoiser, const Rules& rules, double survival) {
  const bool wanted = rules.selection.needs().leave_one_out;
  if (wanted == denoiser.leave_one_out() || survival >= 1) return 0;
  const auto shift = static_cast<float>(*rules.noise.leave_one_out_shift(survival, rules.vocabulary));
  return wanted ? shift : -shift;
}

}  // namespace canvaslab
