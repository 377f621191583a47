// When a canvas is done before its last step.
#pragma once

#include "core/step.h"

namespace canvaslab {

struct StopSignal {
  bool stop = false;
  bool stable = false;     // the prediction did not change (criteria that do not look at it: false)
  bool confident = false;  // the prediction is certain enough
};

class StoppingCriterion {
 public:
  virtual ~StoppingCriterion() = default;

  // Asked after every step with this canvas's steps, the one just done at the back (never empty).
  virtual StopSignal check(const History& history) const = 0;

  // How many earlier steps `check` looks at.
  virtual int lookback() const { return 0; }
};

}  // namespace canvaslab
