// A hidden Markov model: S hidden states, of which each emits one of K symbols a position. Posteriors of the
// symbols by forward-backward over the states.
#pragma once

#include "models/exact/joint_model.h"

namespace canvaslab {

class HiddenMarkovModel : public JointModel {
 public:
  // `initial` [S], `transition` [S, S], `emission` [S, K]; rows are scaled to sum to 1. ConfigurationError
  // when sizes do not fit, a value is negative or not finite, or a row sums to 0.
  HiddenMarkovModel(int symbols, int length, std::vector<double> initial, std::vector<double> transition,
                    std::vector<double> emission);

  int length() const override { return length_; }
  int symbols() const override { return static_cast<int>(width_); }
  Posterior posterior(std::span<const double> evidence) const override;
  double log_probability(std::span<const TokenId> sequence) const override;
  std::optional<double> entropy() const override { return std::nullopt; }

 private:
  int length_;
  size_t width_, states_;  // K, S
  std::vector<double> initial_, transition_, emission_;
};

}  // namespace canvaslab
