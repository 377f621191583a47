// How the sampling temperature moves over the steps of a canvas.
#pragma once

#include "core/step.h"

namespace canvaslab {

class TemperatureSchedule {
 public:
  virtual ~TemperatureSchedule() = default;

  // The temperature by which the logits of this step are divided; 0 means greedy.
  virtual float at(const StepTime& time) const = 0;
};

}  // namespace canvaslab
