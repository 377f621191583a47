// How far a run is from the truth, where its model's predictions are exact.
#pragma once

#include <span>

#include "experiments/metrics.h"
#include "experiments/session.h"

namespace canvaslab {

class JointModel;

// Of one generated sample: `true_nats`, minus the log probability that the model gives it (left out where
// that is infinite), and `impossible`.
Metrics sample_truth(const JointModel& model, std::span<const TokenId> tokens);

// Of the sampler, over `samples` true sequences (samplers/joint_error.h): `divergence` KL(true || generated)
// in nats, or `divergence_at_most` where the rule draws and only an upper bound is known, and
// `entropy_bound`, the sum over the steps of the revealed entropies without the largest. Nothing for samplers
// that re-noise, edit or are causal.
std::vector<Metrics> sampler_truth(const Session& session, int samples);

}  // namespace canvaslab
