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
  const Rules rules = session.rules();
  if (config.sampler->causal() || !has_joint_error(denoiser, rules)) return {};
  const std::unique_ptr<Random> random = config.random->make(config.seed);
  const CounterRandom draws(config.seed);
  const int steps = config.sampler->most_steps(denoiser.canvas_length());
  std::vector<JointError> errors;
  for (int i = 0; i < samples; ++i) {
    std::vector<double> uniforms;
    const StreamKey key{static_cast<std::uint64_t>(i), 0, 0};
    for (int position = 0; position < denoiser.model().length(); ++position)
      uniforms.push_back(draws.uniform(key, Purpose::kTruth, static_cast<std::uint32_t>(position)));
    errors.push_back(joint_error(denoiser, rules, steps, draw_sequence(denoiser.model(), uniforms), *random,
                                 static_cast<std::uint64_t>(i)));
  }
  const bool bound =
      std::any_of(errors.begin(), errors.end(), [](const JointError& one) { return one.random; });
  std::vector<Metrics> all;
  for (const JointError& error : errors)
    all.push_back(
        {{bound ? "divergence_at_most" : "divergence", error.total()}, {"entropy_bound", error.bound()}});
  return all;
}

}  // namespace canvaslab
