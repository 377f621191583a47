// The exact law of what a sampler generates from an exact denoiser: every canvas that can come about, step by
// step, with its probability. No samples are drawn, so a rule's own error is seen to the last digit.
//
// One canvas, all its steps (stopping early is not looked at), committed as the last step leaves it, with the
// most probable token where that is a mask. Rules that look at earlier steps are not followed: each sees an
// empty history.
#pragma once

#include <span>
#include <vector>

#include "models/exact/exact_denoiser.h"
#include "samplers/rules.h"

namespace canvaslab {

// A law over canvases of L tokens out of V: [V^L], a canvas read as a number to the base V, its first
// position first.
class CanvasLaw {
 public:
  // The largest number of canvases; ConfigurationError beyond.
  static constexpr double kMost = 1e6;

  CanvasLaw(std::int64_t vocabulary, std::int64_t length);

  std::vector<double>& probabilities() { return probabilities_; }
  const std::vector<double>& probabilities() const { return probabilities_; }
  std::vector<TokenId> canvas(size_t number) const;
  size_t number(std::span<const TokenId> canvas) const;
  double of(std::span<const TokenId> canvas) const { return probabilities_[number(canvas)]; }

 private:
  std::int64_t vocabulary_, length_;
  std::vector<double> probabilities_;
};

// The law after `steps` steps. ConfigurationError when there are too many canvases, or rule and denoiser do
// not go together; Error when the rule draws and does not list its outcomes.
CanvasLaw enumerate(const ExactDenoiser& denoiser, const Rules& rules, int steps);

// Half the sum of |law - model| over all sequences.
double total_variation(const CanvasLaw& law, const JointModel& model);

// KL(model || law) in nats; infinite when the law never gives what the model does.
double divergence(const CanvasLaw& law, const JointModel& model);

}  // namespace canvaslab
