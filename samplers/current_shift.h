// Full posteriors p(x_i | z) and leave-one-out ones p(x_i | z without z_i): a model gives one kind, a rule
// may want the other, and they differ by one number on the logit of the token that is on the canvas.
#pragma once

#include "models/denoiser.h"
#include "samplers/rules.h"

namespace canvaslab {

// ConfigurationError when the rule wants the kind that the model does not give, and the noise process cannot
// turn one into the other.
void check_prediction_kind(const Denoiser& denoiser, const Rules& rules);

// What is to be added to that logit at this alpha; 0 where both are of one kind, and once nothing of a canvas
// is noise.
float current_shift(const Denoiser& denoiser, const Rules& rules, double survival);

}  // namespace canvaslab
