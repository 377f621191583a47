#include "experiments/training/trainer.h"

#include <c10/core/GradMode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/nearest.h"
#include "experiments/training/batch_gradient.h"
#include "models/checkpoint/special_tokens.h"
#include "models/gemma4/initial_weights.h"

namespace canvaslab {
namespace {

std::unique_ptr<gemma4::Gemma4Denoiser> denoiser_of(const ModelParts& parts, const TensorMap& weights,
                                                    const std::optional<LoraConfig>& lora) {
  return std::make_unique<gemma4::Gemma4Denoiser>(
      Checkpoint{parts.config, parts.generation, weights, {}},
      gemma4::DenoiserOptions{.precision = gemma4::Precision::kFloat32,
                              .update_scale = lora ? lora->alpha / lora->rank : 1});
}

// The updates that are trained instead of the weights.
TensorMap adapter_for(const ModelParts& parts, const LoraConfig& lora, std::uint64_t seed) {
  if (parts.origin.empty()) {
    throw ConfigurationError(
        "training.lora: updates random weights, which nobody else has; choose initial=checkpoint");
  }
  for (const std::string& target : lora.targets) {
    const std::vector<std::string>& known = adapter_targets();
    if (std::find(known.begin(), known.end(), target) == known.end()) {
      throw ConfigurationError(fmt::format("training.lora.targets: unknown target '{}'{}; there are {}",
                                           target, did_you_mean(target, known), fmt::join(known, ", ")));
    }
  }
  TensorMap adapter = initial_adapter(parts.weights, lora.rank, lora.targets, seed);
  if (adapter.empty())
    throw ConfigurationError("training.lora.targets: nothing is named; nothing is left to train");
  return adapter;
}

bool frozen(const std::string& name, const std::vector<std::string>& texts) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return name.find(text) != std::string::npos; });
}

// A text that no weight's name holds is a mistake.
void check_frozen(const TensorMap& weights, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    if (std::none_of(weights.begin(), weights.end(),
                     [&](const auto& entry) { return frozen(entry.first, {text}); })) {
      throw ConfigurationError(
          fmt::format("training.freeze: no weight has '{}' in its name; an example is '{}'", text,
                      weights.begin()->first));
    }
  }
}

}  // namespace

Trainer::Trainer(const TrainConfig& config, const Processes& processes)
    : config_(config),
      processes_(processes),
      parts_(config.initial->make(*config.task, config.seed)),
      tokenizer_(Tokenizer::parse(parts_.tokenizer_json, "initial: tokenizer.json")) {
  vocabulary_ = special_tokens(parts_.config, parts_.generation, tokenizer_, std::nullopt, "initial");
  config.noise->check(vocabulary_);
  if (config.training.weighting == Weighting::kElbo && !config.noise->elbo_form()) {
    throw ConfigurationError(
        "training.weighting: this noise process has no likelihood bound; use weighting=none or inverse_time");
  }
  config.task->check(tokenizer_, parts_.config.canvas_length);
  const std::optional<LoraConfig>& lora = config.training.lora;
  if (lora) parts_.weights.merge(adapter_for(parts_, *lora, config.seed));
  check_frozen(parts_.weights, config.training.freeze);
  if (config.training.batch % processes.count() != 0) {
    throw ConfigurationError(
        fmt::format("training.batch: {} examples cannot be shared out evenly to {} processes",
                    config.training.batch, processes.count()));
  }
  for (auto& [name, tensor] : parts_.weights) {
    if (!(lora ? is_adapter_weight(name) : is_trained(name)) || frozen(name, config.training.freeze))
      continue;
    tensor.set_requires_grad(true);
    trained_[name] = tensor;
  }
  if (trained_.empty())
    throw ConfigurationError("training.freeze: every weight is frozen; nothing is left to train");
  optimizer_ = std::make_unique<Optimizer>(trained_, config.training);
  denoiser_ = denoiser_of(parts_, parts_.weights, lora);
  averaged_ = denoiser_of(parts_, averaged_weights(), lora);
}

TensorMap Trainer::averaged_weights() const {
  TensorMap weights = parts_.weights;
  for (const auto& [name, average] : optimizer_->averages()) weights[name] = average;
  return weights;
}

std::optional<Adapter> Trainer::averaged_adapter() const {
  const std::optional<LoraConfig>& lora = config_.training.lora;
  if (!lora) return std::nullopt;
  Adapter adapter{.rank = lora->rank,
                  .alpha = lora->alpha,
                  .targets = lora->targets,
                  .base = std::filesystem::absolute(parts_.origin).string(),
                  .tensors = {}};
  for (const auto& [name, tensor] : averaged_weights())
    if (is_adapter_weight(name)) adapter.tensors[name] = tensor;
  return adapter;
}

std::int64_t Trainer::parameters() const {
  std::int64_t count = 0;
  for (const auto& [name, tensor] : trained_) count += tensor.numel();
  return count;
}

BatchMaker Trainer::batch_maker(Split split) const {
  return {*config_.task,
          tokenizer_,
          vocabulary_,
          *config_.noise,
          *config_.noise_schedule,
          parts_.config.canvas_length,
          config_.training.self_conditioning,
          config_.seed,
          split};
}

HeldOut Trainer::held_out(std::span<const TrainingRow> rows) const {
  if (rows.empty()) return {};
  const c10::NoGradGuard no_gradient;
  const TrainingConfig& training = config_.training;
  const Objective objective{*averaged_, training, *config_.noise, vocabulary_};
  const BatchTotals totals(rows, training.weighting);
  const auto most = static_cast<size_t>(training.micro_batch.value_or(training.batch));
  HeldOut sums{.denoising = 0, .causal = 0};
  for (size_t begin = 0; begin < rows.size(); begin += most) {
    const Losses losses = objective(rows.subspan(begin, std::min(most, rows.size() - begin)), totals);
    sums.denoising += losses.denoising.item<double>(), sums.causal += losses.causal.item<double>();
  }
  if (training.causal_weight == 0) sums.causal = HeldOut().causal;
  return sums;
}

StepReport Trainer::step() {
  const TrainingConfig& training = config_.training;
  const int share = training.batch / processes_.count(), first = share * processes_.rank();
  const std::vector<TrainingRow> rows = batch_maker().rows(steps_done_, training.batch, first, first + share);
  BatchTotals totals(rows, training.weighting);
  totals.sum(processes_);
  std::vector<at::Tensor> parameters;
  for (const auto& [name, parameter] : trained_) parameters.push_back(parameter);
  const Objective objective{*denoiser_, training, *config_.noise, vocabulary_};
  const BatchGradient batch = batch_gradient(objective, parameters, rows, totals,
                                             training.micro_batch.value_or(training.batch), processes_);
  StepReport report{.step = steps_done_ + 1,
                    .loss = batch.loss,
                    .denoising = batch.denoising,
                    .causal = batch.causal,
                    .balance = batch.balance,
                    .learning_rate = learning_rate(training, steps_done_)};
  for (const TrainingRow& row : rows) {
    report.tokens += static_cast<std::int64_t>(row.prompt.size() +
                                               row.clean.size() * (training.causal_weight > 0 ? 2 : 1));
  }
  report.tokens *= processes_.count();
  if (std::isfinite(report.loss))
    report.gradient_norm = optimizer_->step(batch.gradients, report.learning_rate);
  if (!std::isfinite(report.loss) || !std::isfinite(report.gradient_norm)) {
    throw Error(fmt::format(
        "step {}: the {} is not finite (loss {}, gradient norm {}); lower training.learning_rate ({}) or "
        "training.clip ({})",
        report.step, std::isfinite(report.loss) ? "gradient" : "loss", report.loss, report.gradient_norm,
        training.learning_rate, training.clip));
  }
  ++steps_done_;
  return report;
}

TensorMap Trainer::state() const {
  TensorMap out = optimizer_->state();
  out["steps_done"] = at::scalar_tensor(steps_done_, at::kLong);
  return out;
}

void Trainer::load(const TensorMap& state) {
  const auto found = state.find("steps_done");
  if (found == state.end()) throw Error("the stored state of the training has no 'steps_done'");
  optimizer_->load(state);
  steps_done_ = found->second.item<std::int64_t>();
}

}  // namespace canvaslab
