// A canvas's steps as a stopping criterion sees them, made by hand.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "samplers/stopping/stopping_criterion.h"

namespace canvaslab {

struct Step {
  std::vector<TokenId> argmax;
  float entropy = 0;            // mean, nats
  std::vector<TokenId> canvas;  // before the step
  std::vector<float> margin = {};
  std::vector<Decision> decision = {};
};

// What the criterion says after each step, asked as the loop does: it keeps as many earlier steps as the
// criterion says that it looks at, no more.
inline std::vector<StopSignal> signals(const StoppingCriterion& criterion, const std::vector<Step>& steps) {
  History history;
  std::vector<StopSignal> out;
  for (size_t i = 0; i < steps.size(); ++i) {
    StepRecord record;
    record.time = {static_cast<int>(i), static_cast<int>(steps.size())};
    record.mean_entropy = steps[i].entropy;
    record.canvas = steps[i].canvas;
    record.prediction.argmax = steps[i].argmax;
    record.prediction.margin = steps[i].margin;
    record.decision = steps[i].decision;
    history.push_back(std::move(record));
    out.push_back(criterion.check(history));
    while (history.size() > static_cast<size_t>(criterion.lookback()) + 1) history.pop_front();
  }
  return out;
}

// One digit a step: 1 where it stops.
inline std::string stops(const StoppingCriterion& criterion, const std::vector<Step>& steps) {
  std::string digits;
  for (const StopSignal& signal : signals(criterion, steps)) digits += signal.stop ? '1' : '0';
  return digits;
}

}  // namespace canvaslab
