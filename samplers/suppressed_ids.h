// The ids that are never predicted.
#pragma once

#include <span>
#include <vector>

#include "core/vocabulary.h"
#include "samplers/noise/noise_process.h"

namespace canvaslab {

// Sorted: those that are noise only, and those that `sampler.suppress` names. ConfigurationError when one is
// outside the vocabulary, or none would be left.
std::vector<TokenId> suppressed_ids(const NoiseProcess& noise, const Vocabulary& vocabulary,
                                    std::span<const TokenId> configured);

}  // namespace canvaslab
