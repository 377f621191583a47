#include "samplers/selection/selection_rule.h"

#include <limits>

namespace canvaslab {

float SelectionRule::slack(const SelectionInput& /*input*/, std::span<const Decision> /*decision*/) const {
  return std::numeric_limits<float>::quiet_NaN();
}

}  // namespace canvaslab
