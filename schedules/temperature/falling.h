// What the temperature schedules share that fall from a maximum to a minimum.
#pragma once

#include <fmt/format.h>

#include "core/error.h"
#include "core/step.h"

namespace canvaslab {

// Whether the last step has the temperature at the end of the fall, or that of the step before the end.
enum class Endpoint { kExcluded, kIncluded };

template <class Visitor>
void endpoint_field(Visitor& visit, Endpoint& endpoint) {
  visit.choice("endpoint", endpoint, {{"excluded", Endpoint::kExcluded}, {"included", Endpoint::kIncluded}},
               {.meaning = "whether the last step has the minimum itself"});
}

// p, the share of the fall that is still to go at a step: 1 at the first one, and at the last one 1 / N, or 0
// where the endpoint is included. A single step has 1.
inline double share_to_go(const StepTime& time, Endpoint endpoint) {
  if (endpoint == Endpoint::kExcluded || time.count <= 1) return time.remaining();
  return static_cast<double>(time.count - 1 - time.index) / (time.count - 1);
}

// ConfigurationError unless minimum <= maximum.
inline void refuse_rising(double minimum, double maximum) {
  if (minimum <= maximum) return;
  throw ConfigurationError(
      fmt::format("temperature.minimum = {} is above temperature.maximum = {}", minimum, maximum));
}

}  // namespace canvaslab
