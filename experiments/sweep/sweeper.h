// The config group `hydra/sweeper`: from what is swept over to the sweep's cells.
#pragma once

#include <string>
#include <vector>

#include "core/config/sweep.h"

namespace canvaslab {

class Sweeper {
 public:
  virtual ~Sweeper() = default;

  // The words of each cell, "key=value" for every key of the plan. ConfigurationError when this sweeper
  // cannot do what is asked.
  virtual std::vector<std::vector<std::string>> cells(const config::SweepPlan& plan) const = 0;
};

// The value, as words write it, that a number of [0, 1) chooses for a key: one of its values, all equally
// likely, or a point of its interval.
std::string chosen_value(const config::SweepKey& key, double unit);

}  // namespace canvaslab
