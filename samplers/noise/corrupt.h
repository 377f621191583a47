// The forward process: how clean tokens become noisy ones, for training and for the likelihood bound.
#pragma once

#include <span>

#include "core/step.h"

namespace canvaslab {

// Replaces tokens[i] by noise[i] where uniforms[i] < level[i]; every span is [L]. `level` is 1 - alpha, the
// probability that a token has become noise; `noise` comes from NoiseProcess::draw.
void corrupt(std::span<TokenId> tokens, std::span<const double> level, std::span<const double> uniforms,
             std::span<const TokenId> noise);

}  // namespace canvaslab
