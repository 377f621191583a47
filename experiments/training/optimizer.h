// AdamW with decoupled weight decay (arXiv 1711.05101), gradient clipping, and a running average of the
// weights.
#pragma once

#include <cstdint>

#include "experiments/training/training_config.h"
#include "models/checkpoint/safetensors.h"

namespace canvaslab {

// The learning rate of step `step` (0, 1, ...): a linear warm-up, then constant or a half cosine down to 0.
double learning_rate(const TrainingConfig& config, std::int64_t step);

class Optimizer {
 public:
  // `parameters` are leaves that require gradients; they are updated in place.
  Optimizer(TensorMap parameters, const TrainingConfig& config);

  // Takes a step along the gradients (the parameters', in the order of their names) at the rate given,
  // clipping them in place first, and averages. Returns the gradient's norm before clipping; a norm that is
  // not finite changes nothing.
  double step(const std::vector<at::Tensor>& gradients, double rate);

  // The running average of the weights, under their names; the same tensors over the whole life.
  const TensorMap& averages() const { return averages_; }

  // All that a later process needs to go on with exactly the same steps; `load` takes what `state` gave.
  TensorMap state() const;
  void load(const TensorMap& state);

 private:
  struct Group {
    std::vector<at::Tensor> parameters = {}, first_moments = {}, second_moments = {}, steps = {};
    std::vector<size_t> indices = {};  // where their gradients stand
    double weight_decay;
  };

  TrainingConfig config_;
  TensorMap parameters_, first_moments_, second_moments_, averages_;
  at::Tensor count_;  // float32 []: steps taken
  std::vector<Group> groups_;
};

}  // namespace canvaslab
