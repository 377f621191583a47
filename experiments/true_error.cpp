#include "experiments/true_error.h"

#include <algorithm>
#include <cmath>

#include "core/random/counter_random.h"
#include "models/exact/probabilities.h"
#include "samplers/joint_error.h"

namespace canvaslab {

Metrics sample_truth(const JointModel& model, std::span<const TokenId> tokens) {
  const bool whole =
      static_cast<int>(tokens.size()) == model.length() &&
      std::all_of(tokens.begin(), tokens.end(), [&](TokenId token) { return token < model.symbols(); });
  const double log_probability = whole ? model.log_probability(tokens) : kImpossible;
  Metrics metrics{{"impossible", log_probability == kImpossible ? 1.0 : 0.0, MetricKind::kShare}};
  if (log_probability > kImpossible) metrics.push_back({"true_nats", -log_probability});
  return metrics;
}

std::vector<Metrics> sampler_truth(const Session& session, int samples) {
  const RunConfig& config = session.config();
  const ExactDenoiser& denoiser = *session.model().exact;
  if (config.sampler->causal() || denoiser.settings().corruption != Corruption::kMasked ||
      config.selection->needs().edits)
    return {};
  const Rules rules = session.rules();
  const std::unique_ptr<Random> random = config.random->make(config.seed);
  const CounterRandom draws(config.seed);
  const bool exact = joint_error_is_exact(*config.selection);
  const int steps = config.sampler->most_steps(denoiser.canvas_length());
  std::vector<Metrics> all;
  for (int i = 0; i < samples; ++i) {
    std::vector<double> uniforms;
    const StreamKey key{static_cast<std::uint64_t>(i), 0, 0};
    for (int position = 0; position < denoiser.model().length(); ++position)
      uniforms.push_back(draws.uniform(key, Purpose::kTruth, static_cast<std::uint32_t>(position)));
    const JointError error = joint_error(denoiser, rules, steps, draw_sequence(denoiser.model(), uniforms),
                                         *random, static_cast<std::uint64_t>(i));
    all.push_back(
        {{exact ? "divergence" : "divergence_at_most", error.total()}, {"entropy_bound", error.bound()}});
  }
  return all;
}

}  // namespace canvaslab
