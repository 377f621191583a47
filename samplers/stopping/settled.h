// Whether a canvas's prediction has stopped changing.
#pragma once

#include "core/step.h"

namespace canvaslab {

// Whether the newest prediction's argmax equals those of each of the `steps` steps before it; false while
// there were fewer.
inline bool equals_earlier_argmax(const History& history, int steps) {
  const auto newest = static_cast<int>(history.size()) - 1;
  if (newest < steps) return false;
  for (int back = 1; back <= steps; ++back) {
    if (history[newest - back].prediction.argmax != history[newest].prediction.argmax) return false;
  }
  return true;
}

}  // namespace canvaslab
