#include "experiments/training/optimizer.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.h"
#include "models/gemma4/initial_weights.h"

namespace canvaslab {
namespace {

std::vector<at::Tensor> values(const TensorMap& tensors) {
  std::vector<at::Tensor> all;
  all.reserve(tensors.size());
  for (const auto& [name, tensor] : tensors) all.push_back(tensor);
  return all;
}

}  // namespace

double learning_rate(const TrainingConfig& config, std::int64_t step) {
  const auto done = static_cast<double>(step + 1), warmup = static_cast<double>(config.warmup_steps);
  if (done <= warmup) return config.learning_rate * done / warmup;
  if (config.rate_schedule == RateSchedule::kConstant) return config.learning_rate;
  const double way = std::min(1.0, (done - warmup) / std::max(1.0, config.steps - warmup));
  return config.learning_rate * 0.5 * (1 + std::cos(std::numbers::pi * way));
}

Optimizer::Optimizer(TensorMap parameters, const TrainingConfig& config)
    : config_(config), parameters_(std::move(parameters)), count_(at::zeros({}, at::kFloat)) {
  groups_ = {{.weight_decay = config.weight_decay}, {.weight_decay = 0}};
  const c10::NoGradGuard no_gradient;
  size_t index = 0;
  for (const auto& [name, parameter] : parameters_) {
    first_moments_[name] = at::zeros_like(parameter);
    second_moments_[name] = at::zeros_like(parameter);
    averages_[name] = parameter.detach().clone();
    Group& group = groups_[config.decay_everything || is_decayed(name) ? 0 : 1];
    group.parameters.push_back(parameter);
    group.first_moments.push_back(first_moments_[name]);
    group.second_moments.push_back(second_moments_[name]);
    group.steps.push_back(count_);
    group.indices.push_back(index++);
  }
}

double Optimizer::step(const std::vector<at::Tensor>& gradients, double rate) {
  const c10::NoGradGuard no_gradient;
  const double norm = at::stack(at::_foreach_norm(gradients, 2)).norm().item<double>();
  if (!std::isfinite(norm)) return norm;
  if (norm > config_.clip) at::_foreach_mul_(gradients, config_.clip / norm);
  count_ += 1;
  for (Group& group : groups_) {
    if (group.parameters.empty()) continue;
    std::vector<at::Tensor> own;
    for (const size_t index : group.indices) own.push_back(gradients[index]);
    at::_fused_adamw_(group.parameters, own, group.first_moments, group.second_moments, {}, group.steps, rate,
                      config_.beta1, config_.beta2, group.weight_decay, config_.epsilon, /*amsgrad=*/false,
                      /*maximize=*/false);
  }
  // Young averages forget faster, so that the random start is gone soon.
  const double taken = count_.item<double>();
  const double decay = std::min(config_.average, (1 + taken) / (10 + taken));
  at::_foreach_lerp_(values(averages_), values(parameters_), 1 - decay);
  return norm;
}

TensorMap Optimizer::state() const {
  TensorMap out{{"count", count_}};
  for (const auto& [name, parameter] : parameters_) {
    out["parameter/" + name] = parameter.detach();
    out["first_moment/" + name] = first_moments_.at(name);
    out["second_moment/" + name] = second_moments_.at(name);
    out["average/" + name] = averages_.at(name);
  }
  return out;
}

void Optimizer::load(const TensorMap& state) {
  const c10::NoGradGuard no_gradient;
  const TensorMap mine = this->state();
  for (const auto& [name, tensor] : mine) {
    const auto found = state.find(name);
    if (found == state.end() || found->second.sizes() != tensor.sizes())
      throw Error("the stored state of the training does not fit its configuration: " + name);
    at::Tensor(tensor).copy_(found->second);
  }
}

}  // namespace canvaslab
