// Which positions of a canvas are committed, kept or re-noised at the end of a step.
#pragma once

#include <cstdint>
#include <span>

#include "core/step.h"

namespace canvaslab {

// What a rule sees of one row; every span is [L]. Rules are const and stateless: what happened before is in
// the history.
struct SelectionInput {
  std::span<const TokenId> canvas;  // before the step
  const Prediction& prediction;     // of this step, tempered
  std::span<const std::uint8_t>
      undecided;  // 1: the rule may decide; 0: the position keeps its token whatever it says
  StepTime time;
  const History& history;  // earlier steps of this canvas, newest last
};

class SelectionRule {
 public:
  virtual ~SelectionRule() = default;

  // Writes one decision per position, [L].
  virtual void decide(const SelectionInput& input, std::span<Decision> out) const = 0;

  // How much of the rule's budget was left at the end of this step, for the trace; NaN for rules without a
  // budget.
  virtual float slack(const SelectionInput& input, std::span<const Decision> decision) const;
};

}  // namespace canvaslab
