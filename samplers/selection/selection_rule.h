// Which positions of a canvas are committed, kept or re-noised at the end of a step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/random/random.h"
#include "core/step.h"
#include "core/vocabulary.h"
#include "samplers/noise/noise_process.h"

namespace canvaslab {

// What a rule sees of one row; every span is [L]. Rules are const and stateless: what happened before is in
// the history.
struct SelectionInput {
  std::span<const TokenId> canvas;  // before the step
  const Prediction& prediction;     // of this step, tempered
  std::span<const std::uint8_t>
      undecided;  // 1: the rule may decide; 0: the position keeps its token, unless the rule edits
  StepTime time;
  const History& history;  // earlier steps of this canvas, newest last

  std::span<const std::uint8_t> editable = {};  // 1: decided, and not given: an editing rule may change it
  float temperature = 1;                        // of this step
  Survival survival = {};                       // the noise schedule's levels around this step
  const NoiseProcess* noise = nullptr;
  const Vocabulary* vocabulary = nullptr;
  SelectionDraws* draws = nullptr;  // the rule's random numbers
};

// What a rule needs beyond the usual statistics.
struct SelectionNeeds {
  bool raw_probability = false;  // Prediction::raw_sampled_probability
  bool leave_one_out = false;    // predictions without what the position's own token says
  bool edits = false;            // the rule may change positions that are decided
  bool draw = true;              // decide() looks at what was sampled, or at its probability
};

// One of the decisions that a rule may come to.
struct SelectionOutcome {
  double probability = 1;
  std::vector<Decision> decision;  // [L]
};

class SelectionRule {
 public:
  virtual ~SelectionRule() = default;

  virtual SelectionNeeds needs() const { return {}; }

  // Whether decide() looks at what was sampled, or at its probability, under this noise.
  virtual bool looks_at_draw(const NoiseProcess& /*noise*/) const { return needs().draw; }

  // Writes one decision per position, [L].
  virtual void decide(const SelectionInput& input, std::span<Decision> out) const = 0;

  // Every decision that decide() may come to for this input, with its probability over the rule's random
  // numbers; what analysis enumerates. A rule without random choices has one outcome; one with them says here
  // what they are. Error when a rule draws and does not say.
  virtual std::vector<SelectionOutcome> outcomes(const SelectionInput& input) const;

  // How much of the rule's budget was left at the end of this step, for the trace; NaN for rules without a
  // budget.
  virtual float slack(const SelectionInput& input, std::span<const Decision> decision) const;
};

}  // namespace canvaslab
