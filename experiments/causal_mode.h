// Whether a checkpoint's causal mode was trained to predict, and what it says of answers.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "experiments/session.h"

namespace canvaslab {

// A warning for a run whose sampler predicts in the causal mode of a checkpoint that is not known to have
// been trained for it: one that `canvaslab train` did not make with `training.causal_weight` above 0. Else
// "".
std::string causal_mode_warning(const Session& session);

// How likely answers are where the model reads from left to right: the same weights judge what they wrote in
// another mode.
class CausalJudge {
 public:
  // `session` is loaded and outlives this.
  explicit CausalJudge(const Session& session);

  // Mean over the answer's tokens of -log p(token | what stands before), in nats. Nothing where the causal
  // mode is not known to have been trained, or prompt or answer has no token.
  std::optional<double> nats(std::span<const TokenId> prompt, std::span<const TokenId> answer) const;

 private:
  const Session& session_;
  bool trained_;
};

}  // namespace canvaslab
