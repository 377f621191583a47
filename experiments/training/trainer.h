// Training, step by step: batch, losses, update.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "experiments/training/batch.h"
#include "experiments/training/initial_model.h"
#include "experiments/training/objective.h"
#include "experiments/training/optimizer.h"
#include "experiments/training/training_config.h"
#include "models/checkpoint/adapter.h"

namespace canvaslab {

// One update in numbers.
struct StepReport {
  std::int64_t step = 0;                                    // counted from 1
  double loss = 0, denoising = 0, causal = 0, balance = 0;  // nats; the balance has no unit
  double gradient_norm = 0, learning_rate = 0;
  std::int64_t tokens = 0;  // that went through the layers with gradients
};

// Losses on rows that were not trained on, in nats: of the denoising what `training.weighting` makes of it.
// NaN: not trained, or no rows.
struct HeldOut {
  double denoising = std::numeric_limits<double>::quiet_NaN();
  double causal = std::numeric_limits<double>::quiet_NaN();
};

class Trainer {
 public:
  // ConfigurationError when initial model, task, noise and processes do not fit together. `config` and
  // `processes` outlive this.
  explicit Trainer(const TrainConfig& config, const Processes& processes = Processes::single());

  // The next update, the same in every process. Error, with no weight changed, when the loss or its gradient
  // is not finite.
  StepReport step();

  // What the steps' batches are made by, or others in the same way; this outlives it.
  BatchMaker batch_maker(Split split = Split::kTrain) const;

  // Of the averaged weights.
  HeldOut held_out(std::span<const TrainingRow> rows) const;

  std::int64_t steps_done() const { return steps_done_; }

  // Everything that a later process needs to go on exactly; and back.
  TensorMap state() const;
  void load(const TensorMap& state);

  // The averaged weights as a model: what is validated and kept.
  const Denoiser& averaged() const { return *averaged_; }
  const Vocabulary& vocabulary() const { return vocabulary_; }
  const Tokenizer& tokenizer() const { return tokenizer_; }
  const ModelParts& parts() const { return parts_; }
  std::int64_t parameters() const;  // trained numbers

  // The averaged updates, where those are what is trained.
  std::optional<Adapter> averaged_adapter() const;

  // All tensors of a checkpoint, the averaged ones among them.
  TensorMap averaged_weights() const;

 private:
  const TrainConfig& config_;
  const Processes& processes_;
  ModelParts parts_;
  Tokenizer tokenizer_;
  Vocabulary vocabulary_;
  TensorMap trained_;
  std::unique_ptr<Optimizer> optimizer_;
  std::unique_ptr<gemma4::Gemma4Denoiser> denoiser_, averaged_;
  std::int64_t steps_done_ = 0;
};

}  // namespace canvaslab
