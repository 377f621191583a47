// What a reveal-only sampler gets wrong, without enumerating anything: how far its law is from the truth, one
// true sequence at a time.
//
// Where revealed tokens stay and the choice of positions does not look at the draw, every true sequence x has
// one path, and
//   KL(true || generated) = E_x sum over steps of [ log p(x_S | visible) - sum over i in S of log q_i(x_i) ]
// with S what the step reveals, p the model's joint posterior and q_i what position i is drawn from: each
// step's conditional total correlation (plus what temperature and filters change), at any length. Where the
// choice is random the same sum is the divergence of canvas and path together: an upper bound.
//
// Where the choice looks at the draw it is neither. The draws that are not revealed decide, too, and the sum
// leaves their share out: one position a step, the most probable draw first, has a sum of 0 and a law that is
// far from the truth. Such rules are refused.
//
// The entropy bound (arXiv 2505.24857) says that a step's total correlation is at most the sum of the
// revealed entropies without the largest: that sum is recorded beside it.
#pragma once

#include <span>
#include <vector>

#include "models/exact/exact_denoiser.h"
#include "samplers/rules.h"

namespace canvaslab {

struct JointErrorStep {
  int revealed = 0;
  double error = 0;  // nats: this sequence's term; its mean over x is the step's total correlation
  double bound = 0;  // nats: sum of the revealed entropies less the largest
};

struct JointError {
  std::vector<JointErrorStep> steps;
  bool random = false;  // the rule drew: the mean is an upper bound

  double total() const;  // nats; infinite when the sampler never generates the sequence
  double bound() const;
};

// Follows the sampler on the path of a true sequence [L]: until nothing is open, the stopping criterion says
// so, or all steps are done; positions that are open then take the most probable token, as in the loop.
// `sample` keys the rule's random numbers. ConfigurationError when rule, noise and denoiser do not go
// together, or decided positions may change.
JointError joint_error(const ExactDenoiser& denoiser, const Rules& rules, int steps,
                       std::span<const TokenId> truth, Random& random, std::uint64_t sample);

// Whether samplers of this kind have it: masked noise, and a rule that neither edits nor looks at the draw.
bool has_joint_error(const ExactDenoiser& denoiser, const Rules& rules);

// A sequence [L] of the model, one position given those before it; `uniforms` [L] in [0, 1).
std::vector<TokenId> draw_sequence(const JointModel& model, std::span<const double> uniforms);

}  // namespace canvaslab
