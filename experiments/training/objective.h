// What a training minimises, for some rows of a batch.
//
//   denoising   cross-entropy of the clean tokens at the noisy canvas's counted positions, given the prompt;
//               or with training.weighting=elbo the negative ELBO of the answer, in nats a token
//   causal      next-token cross-entropy on prompt and answer, in the causal mode: the same checkpoint is its
//               own autoregressive baseline
//   balance     E * sum over experts of (share of the tokens) * (mean probability), per layer, averaged
//               (Switch Transformer, arXiv 2101.03961): 1 when all experts are used alike
#pragma once

#include <ATen/ATen.h>

#include <span>

#include "experiments/training/batch.h"
#include "experiments/training/processes.h"
#include "experiments/training/training_config.h"
#include "models/gemma4/denoiser.h"

namespace canvaslab {

// The sums are divided by these: counts over the whole batch, so that a batch in parts gives the same
// gradient of the denoising and the causal loss.
struct BatchTotals {
  double denoising = 0;  // counted positions, or B * L where they are weighted
  double causal = 0;     // tokens that are predicted causally
  double rows = 0;

  BatchTotals(std::span<const TrainingRow> rows, Weighting weighting);
  void sum(const Processes& processes);
};

// What the routers did, one line for each of the P routers that the passes went through.
struct RoutingSums {
  at::Tensor counts;         // float64 [P, E]: choices of each expert
  at::Tensor probabilities;  // float32 [P, E]: summed over the tokens; differentiable
};

// Differentiable scalars, float32: this part's share of the batch's means.
struct Losses {
  at::Tensor denoising, causal;
  RoutingSums routing;
};

// This part's share of the balance of everything that `counts` [P, E] counts. The shares of the experts have
// no gradient, so the balance of a batch in parts needs only their sum.
at::Tensor balance_loss(const RoutingSums& part, const at::Tensor& counts, std::int64_t experts_per_token);

struct Objective {
  const gemma4::Gemma4Denoiser& denoiser;
  const TrainingConfig& config;
  const NoiseProcess& noise;
  const Vocabulary& vocabulary;

  Losses operator()(std::span<const TrainingRow> rows, const BatchTotals& totals) const;
};

}  // namespace canvaslab
