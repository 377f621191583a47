// The losses against their definitions from whole [N, V] tensors, and against themselves in parts.
#include "experiments/training/objective.h"

#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>

#include <cmath>

#include "experiments/training/trainer.h"
#include "models/gemma4/initial_weights.h"
#include "tests/experiments/training/small_training.h"

namespace canvaslab {
namespace {

using gemma4::Gemma4Denoiser;
using gemma4::Gemma4Row;

// A random model with gradients, and rows to train it on.
struct Made {
  explicit Made(const std::vector<std::string>& more = {})
      : config(train_config(small_training(more))), parts(config.initial->make(*config.task, 3)) {
    for (auto& [name, tensor] : parts.weights) {
      tensor = tensor * 3;  // far from uniform predictions
      if (is_trained(name)) tensor.set_requires_grad(true);
    }
    denoiser =
        std::make_unique<Gemma4Denoiser>(Checkpoint{parts.config, parts.generation, parts.weights, {}},
                                         gemma4::DenoiserOptions{.precision = gemma4::Precision::kFloat32});
    const Trainer trainer(config);
    rows = trainer.batch_maker().rows(0, 6, 0, 6);
    vocabulary = trainer.vocabulary();
    suppressed = config.noise->suppressed(vocabulary);
  }

  Objective objective() const { return {*denoiser, config.training, *config.noise, vocabulary}; }

  // The gradients of the batch's loss, taken `part` rows at a time.
  TensorMap gradients(size_t part) {
    const BatchTotals totals(rows, config.training.weighting);
    for (auto& [name, tensor] : parts.weights) tensor.mutable_grad() = at::Tensor();
    for (size_t begin = 0; begin < rows.size(); begin += part) {
      const auto some = std::span(rows).subspan(begin, std::min(part, rows.size() - begin));
      const Losses losses = objective()(some, totals);
      (losses.denoising + losses.causal).backward();
    }
    TensorMap out;
    for (auto& [name, tensor] : parts.weights) {
      if (tensor.grad().defined()) out[name] = tensor.grad().clone();
    }
    return out;
  }

  at::Tensor log_probabilities(const at::Tensor& hidden) const {
    at::Tensor z = denoiser->head().logits(hidden);
    for (const TokenId id : suppressed) z.select(-1, id).fill_(-INFINITY);
    return at::log_softmax(z, -1);
  }

  TrainConfig config;
  ModelParts parts;
  std::unique_ptr<Gemma4Denoiser> denoiser;
  std::vector<TrainingRow> rows;
  Vocabulary vocabulary;
  std::vector<TokenId> suppressed;
};

// A position's part of the negative ELBO under uniform noise at t, with alpha = 1 - t, from the full
// posterior p(v | z): the rates of the jumps from z to each other v, u where the clean token x is known and w
// as predicted, contribute u log(u / w) - u + w.
double jump_divergence(const at::Tensor& log_posterior, TokenId x, TokenId z, double t) {
  const std::int64_t ids = log_posterior.size(0);
  const double noise = t / static_cast<double>(ids), other = noise, same = 1 - t + noise;  // q(z | x)
  at::Tensor p = log_posterior.to(at::kDouble).exp();
  p[z] *= other / same;
  p /= p.sum();
  const at::Tensor marginal = p * (1 - t) + noise;
  double sum = 0;
  for (std::int64_t v = 0; v < ids; ++v) {
    if (v == z) continue;
    const double rate = 1 / (1 - t) / static_cast<double>(ids);
    const double truth = rate * (v == x ? same : other) / (x == z ? same : other);
    const double model = rate * (marginal[v] / marginal[z]).item<double>();
    sum += truth * std::log(truth / model) - truth + model;
  }
  return sum;
}

// Row by row, through the passes that sampling uses, in inference mode.
TEST(Objective, IsTheMeanLossOfItsTokens) {
  for (const std::string noise : {"uniform", "masked"}) {
    for (const std::string weighting : {"none", "inverse_time", "elbo"}) {
      const Made made({"noise=" + noise, "training.weighting=" + weighting});
      const c10::InferenceMode inference;
      double denoising = 0, counted = 0, causal = 0, predicted = 0;
      int conditioned = 0;
      for (const TrainingRow& row : made.rows) {
        Gemma4Row context;
        context.cache.layers.resize(made.parts.config.layers.size());
        Gemma4Row* pointers[] = {&context};
        const std::span<const TokenId> prompt[] = {row.prompt}, noisy[] = {row.noisy}, clean[] = {row.clean};
        const at::Tensor before =
            made.log_probabilities(made.denoiser->prefill_pass(pointers, prompt, nullptr));
        if (row.conditioned) {
          at::Tensor first =
              made.denoiser->head().logits(made.denoiser->denoise_pass(pointers, noisy, nullptr));
          for (const TokenId id : made.suppressed) first.select(-1, id).fill_(-INFINITY);
          context.soft_embedding = made.denoiser->head().soft_embedding(first);
          ++conditioned;
        }
        const at::Tensor canvas =
            made.log_probabilities(made.denoiser->denoise_pass(pointers, noisy, nullptr));
        for (size_t i = 0; i < row.clean.size(); ++i) {
          if (row.counted[i] == 0) continue;
          const at::Tensor here = canvas[static_cast<std::int64_t>(i)];
          denoising += weighting == "elbo" && noise == "uniform"
                           ? jump_divergence(here, row.clean[i], row.noisy[i], row.time)
                           : -here[row.clean[i]].item<double>() * (weighting == "none" ? 1 : 1 / row.time);
        }
        counted += weighting == "none" ? std::count(row.counted.begin(), row.counted.end(), 1)
                                       : static_cast<double>(row.clean.size());
        const at::Tensor after =
            made.log_probabilities(made.denoiser->prefill_pass(pointers, clean, nullptr));
        const auto last = static_cast<std::int64_t>(row.prompt.size()) - 1;
        for (std::int64_t i = 0; i < last; ++i)
          causal -= before[i][row.prompt[static_cast<size_t>(i) + 1]].item<double>();
        causal -= before[last][row.clean[0]].item<double>();
        for (size_t i = 1; i < row.clean.size(); ++i)
          causal -= after[static_cast<std::int64_t>(i) - 1][row.clean[i]].item<double>();
        predicted += static_cast<double>(row.prompt.size() + row.clean.size()) - 1;
      }
      EXPECT_GT(conditioned, 0);
      const Losses losses =
          made.objective()(made.rows, BatchTotals(made.rows, made.config.training.weighting));
      EXPECT_NEAR(losses.denoising.item<double>(), denoising / counted, 2e-5 * denoising / counted) << noise;
      EXPECT_NEAR(losses.causal.item<double>(), causal / predicted, 1e-5 * causal / predicted);
    }
  }
}

TEST(Objective, ABatchInPartsHasTheSameGradient) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"noise=uniform"},
                                                {"noise=masked"},
                                                {"noise=uniform", "training.weighting=elbo"}}) {
    Made made(words);
    const TensorMap whole = made.gradients(6);
    EXPECT_GT(whole.size(), 30U);
    for (const size_t part : {1, 2, 4}) {
      for (const auto& [name, gradient] : made.gradients(part)) {
        const double largest = whole.at(name).abs().max().item<double>();
        EXPECT_LE((gradient - whole.at(name)).abs().max().item<double>(), 1e-5 + 1e-4 * largest) << name;
      }
    }
  }
}

// Every trained weight takes part: none has a gradient of exactly 0.
TEST(Objective, EveryTrainedWeightHasAGradient) {
  Made made({"training.self_conditioning=1"});
  const TensorMap all = made.gradients(6);
  for (const auto& [name, tensor] : made.parts.weights) {
    if (!is_trained(name)) continue;
    ASSERT_TRUE(all.contains(name)) << name;
    EXPECT_GT(all.at(name).abs().max().item<double>(), 0) << name;
  }
}

// The gradient in a random direction is the slope of the loss along it. Every token goes to every expert,
// since a choice of experts that changes makes the loss jump; and no first prediction, which is without
// gradient by design.
void expect_the_gradient_to_be_the_slope(const std::string& weighting) {
  Made made(
      {"training.self_conditioning=0", "initial.experts_per_token=4", "training.weighting=" + weighting});
  const TensorMap gradients = made.gradients(6);
  const BatchTotals totals(made.rows, made.config.training.weighting);
  at::manual_seed(5);
  const c10::NoGradGuard no_gradient;
  const auto loss = [&] {
    const Losses losses = made.objective()(made.rows, totals);
    return (losses.denoising + losses.causal).item<double>();
  };
  for (const char* part : {"q_proj", "down_proj", "embed_tokens", "router.proj", "layernorm"}) {
    double slope = 0;
    TensorMap direction;
    for (const auto& [name, gradient] : gradients) {
      if (name.find(part) == std::string::npos) continue;
      direction[name] = at::randn(gradient.sizes()) * 0.1;
      slope += (gradient * direction[name]).sum().item<double>();
    }
    const double step = 2e-4;
    const auto move = [&](double by) {
      for (const auto& [name, tensor] : direction) made.parts.weights.at(name).add_(tensor, by);
    };
    move(step);
    const double up = loss();
    move(-2 * step);
    const double down = loss();
    move(step);
    EXPECT_NEAR((up - down) / (2 * step), slope, 0.03 * std::abs(slope) + 2e-3) << part;
  }
}

TEST(Objective, TheGradientIsTheSlopeOfTheLoss) {
  for (const char* weighting : {"none", "elbo"}) expect_the_gradient_to_be_the_slope(weighting);
}

// A router that gives every expert the same probability is even, whichever it picks; otherwise the balance
// differs from 1, and is at most the number of experts.
TEST(Objective, EvenRoutingHasABalanceOfOne) {
  Made made;
  const auto balance = [&] {
    const c10::NoGradGuard no_gradient;
    const Losses losses = made.objective()(made.rows, BatchTotals(made.rows, Weighting::kNone));
    return balance_loss(losses.routing, losses.routing.counts, made.parts.config.top_k_experts)
        .item<double>();
  };
  const double random = balance();
  EXPECT_GT(std::abs(random - 1), 1e-3);
  EXPECT_LE(random, 4.0);
  const c10::NoGradGuard no_gradient;
  for (auto& [name, tensor] : made.parts.weights)
    if (name.find("router.proj") != std::string::npos) tensor.zero_();
  EXPECT_NEAR(balance(), 1, 1e-6);
}

}  // namespace
}  // namespace canvaslab
