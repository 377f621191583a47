// Whether a checkpoint's causal mode was trained to predict.
#pragma once

#include <string>

#include "experiments/session.h"

namespace canvaslab {

// A warning for a run whose sampler predicts in the causal mode of a checkpoint that is not known to have
// been trained for it: one that `canvaslab train` did not make with `training.causal_weight` above 0. Else
// "".
std::string causal_mode_warning(const Session& session);

}  // namespace canvaslab
