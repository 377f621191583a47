// The settings of a training, and the typed form of configs/train.yaml.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/sampling_parts.h"
#include "experiments/tasks/task.h"
#include "experiments/training/initial_model.h"

namespace canvaslab {

enum class Weighting {
  kNone,         // every counted position alike
  kInverseTime,  // by 1 / t
  kElbo,         // the negative ELBO of the noise process, in nats (NoiseProcess::elbo_form)
};

enum class RateSchedule { kConstant, kCosine };

// Trains low-rank updates instead of the weights (arXiv 2106.09685).
struct LoraConfig {
  int rank = 8;
  double alpha = 16;
  std::vector<std::string> targets = {"attention", "mlp", "experts"};

  template <class Visitor>
  void fields(Visitor& visit) {
    visit("rank", rank, {.meaning = "rank of the updates", .minimum = 1, .maximum = 65536});
    visit("alpha", alpha, {.meaning = "the updates are multiplied by alpha / rank", .above = 0});
    visit("targets", targets, {.meaning = "what is updated: attention, mlp, experts"});
  }
};

struct TrainingConfig {
  int steps = 2000;
  int batch = 32;
  std::optional<int> micro_batch;
  Weighting weighting = Weighting::kNone;
  double causal_weight = 1.0;
  double balance_weight = 0.01;
  double self_conditioning = 0.5;
  double learning_rate = 2e-3;
  RateSchedule rate_schedule = RateSchedule::kCosine;
  int warmup_steps = 100;
  double beta1 = 0.9, beta2 = 0.99, epsilon = 1e-8;
  double weight_decay = 0.01;
  bool decay_everything = false;
  double clip = 1.0;
  double average = 0.999;
  std::vector<std::string> freeze;
  std::optional<LoraConfig> lora;
  int validate_every = 500;
  int validation_samples = 64;
  int save_every = 100;

  template <class Visitor>
  void fields(Visitor& visit) {
    visit("steps", steps, {.unit = "steps", .meaning = "updates of the weights", .minimum = 1});
    visit("batch", batch,
          {.unit = "examples", .meaning = "examples an update sees", .minimum = 1, .maximum = 65536});
    visit("micro_batch", micro_batch,
          {.unit = "examples",
           .meaning = "examples in memory at once, balanced by themselves; null: the batch",
           .minimum = 1});
    visit.choice(
        "weighting", weighting,
        {{"none", Weighting::kNone}, {"inverse_time", Weighting::kInverseTime}, {"elbo", Weighting::kElbo}},
        {.meaning = "weight of a noisy position's cross-entropy: none, or 1 / t; elbo: the "
                    "likelihood bound of the noise process"});
    visit("causal_weight", causal_weight,
          {.meaning = "weight of the next-token loss on prompt and answer", .minimum = 0});
    visit("balance_weight", balance_weight,
          {.meaning = "weight of the routers' load balancing loss", .minimum = 0});
    visit("self_conditioning", self_conditioning,
          {.unit = "probability",
           .meaning = "share of the examples that see a first prediction",
           .minimum = 0,
           .maximum = 1});
    visit("learning_rate", learning_rate, {.meaning = "AdamW's highest step size", .above = 0});
    visit.choice("rate_schedule", rate_schedule,
                 {{"constant", RateSchedule::kConstant}, {"cosine", RateSchedule::kCosine}},
                 {.meaning = "the learning rate after the warm-up; cosine falls to 0 at the last step"});
    visit("warmup_steps", warmup_steps,
          {.unit = "steps", .meaning = "over which the learning rate rises linearly", .minimum = 0});
    visit("beta1", beta1, {.meaning = "AdamW's decay of the gradient's mean", .minimum = 0, .below = 1});
    visit("beta2", beta2, {.meaning = "AdamW's decay of its square's mean", .minimum = 0, .below = 1});
    visit("epsilon", epsilon, {.meaning = "AdamW's guard against small squares", .above = 0});
    visit("weight_decay", weight_decay, {.meaning = "decoupled decay of the weights", .minimum = 0});
    visit("decay_everything", decay_everything,
          {.meaning = "whether norms, scales and embeddings decay as well"});
    visit("clip", clip, {.meaning = "largest norm of the gradient; larger ones are scaled", .above = 0});
    visit(
        "average", average,
        {.meaning = "decay of the weights' running average, which is what is kept; 0: the weights themselves",
         .minimum = 0,
         .below = 1});
    visit("freeze", freeze, {.meaning = "weights with one of these texts in their name stay as they are"});
    visit("lora", lora,
          {.meaning = "low-rank updates instead of the weights, as {rank: 8}; null: the weights"});
    visit("validate_every", validate_every,
          {.unit = "steps", .meaning = "between two validations by sampling", .minimum = 1});
    visit("validation_samples", validation_samples,
          {.unit = "prompts", .meaning = "prompts of a validation", .minimum = 1});
    visit("save_every", save_every,
          {.unit = "steps", .meaning = "between two points from which to resume", .minimum = 1});
  }
};

struct TrainConfig : SamplingParts {
  std::unique_ptr<InitialModel> initial;
  std::unique_ptr<Task> task;
  TrainingConfig training;
  std::uint64_t seed = 1;
  std::optional<int> threads;

  template <class Visitor>
  void fields(Visitor& visit) {
    visit("initial", initial, {.meaning = "what the training starts from"});
    visit("task", task, {.meaning = "what is learnt"});
    visit("training", training, {.meaning = "objective, optimiser and validation"});
    SamplingParts::fields(visit);  // of the sampling that validates; the noise also corrupts the answers
    visit("seed", seed, {.meaning = "every random number follows from it", .minimum = 0});
    visit("threads", threads,
          {.unit = "threads", .meaning = "CPU threads; null: one per core", .minimum = 1, .maximum = 4096});
  }
};

}  // namespace canvaslab
