// From a distribution that is written out to what decisions need: the definitions of core/step.h, in float64.
#pragma once

#include <span>
#include <vector>

#include "models/denoiser.h"

namespace canvaslab {

// What one position is drawn from: suppressed ids taken out, the current token's logit shifted, tempered
// (0: all mass on the first of the most probable) and filtered; sums to 1. `probabilities` [V].
std::vector<double> tempered(std::span<const double> probabilities, TokenId current, float temperature,
                             float current_shift, const PassOptions& options);

// `distribution` [L, V]. Every candidate is the first token whose cumulative probability exceeds its uniform
// number, or given.
Prediction statistics_of(std::span<const double> distribution, const RowQuery& query,
                         const PassOptions& options);

}  // namespace canvaslab
