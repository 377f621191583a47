// Arithmetic of plain probability vectors, in float64.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "core/step.h"

namespace canvaslab {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();  // a log probability

// Scales the values to sum to 1, unless they sum to 0; their sum before.
double normalise(std::span<double> values);

// Scales every `width` of them to sum to 1. ConfigurationError, with `what` in front, when one is negative or
// not finite, or a row sums to 0.
void normalise_rows(std::span<double> values, size_t width, const char* what);

// In nats.
double entropy_of(std::span<const double> probabilities);

// The evidence [L, K] of having seen a sequence; an id of K or more stands for a position that was not seen.
std::vector<double> seen_evidence(std::span<const TokenId> sequence, size_t symbols);

}  // namespace canvaslab
