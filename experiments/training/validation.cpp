#include "experiments/training/validation.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "experiments/interruption.h"
#include "experiments/tasks/encode_example.h"
#include "samplers/sampler.h"

namespace canvaslab {
namespace {

class Grading : public SampleObserver {
 public:
  Grading(const Task& task, const Tokenizer& tokenizer, const std::vector<TaskItem>& items)
      : task_(task), tokenizer_(tokenizer), items_(items) {}

  void step(const StreamKey& /*key*/, const StepRecord& /*record*/, const StopSignal& /*signal*/,
            float /*slack*/, double /*seconds*/) override {
    if (interruption() != 0) throw Interrupted(interruption(), "stopped while validating");
  }

  void sample(const SampleResult& result) override {
    const std::vector<TokenId> answer(result.tokens.begin(), result.tokens.begin() + result.generated);
    const std::string text = tokenizer_.decode(answer, /*skip_special_tokens=*/true);
    const std::optional<bool> right = task_.grade(items_[result.sample], text);
    measures_.add(std::nullopt, task_.measure(items_[result.sample], text));
    ++report.samples, canvases_ += result.canvases, steps_ += result.forward_passes;
    report.graded += right ? 1 : 0, report.right += right.value_or(false) ? 1 : 0;
    report.steps_per_canvas =
        static_cast<double>(steps_) / static_cast<double>(std::max<std::int64_t>(1, canvases_));
  }

  Metrics means() const {
    Metrics all;
    for (const MetricSummary& summary : measures_.overall()) all.push_back({summary.name, summary.mean});
    return all;
  }

  ValidationReport report;

 private:
  const Task& task_;
  const Tokenizer& tokenizer_;
  const std::vector<TaskItem>& items_;
  MetricTable measures_;
  std::int64_t canvases_ = 0, steps_ = 0;
};

std::int64_t answer_tokens(const Trainer& trainer, const TrainConfig& config) {
  return config.sampler->max_new_tokens().value_or(trainer.parts().generation.max_new_tokens);
}

// The configured sampler over the averaged weights, with everything that it refers to.
struct ConfiguredSampler {
  ConfiguredSampler(const Trainer& trainer, const TrainConfig& config)
      : rules(config.rules(trainer.vocabulary())),
        random(config.random->make(config.seed)),
        sampler(config.sampler->make(trainer.averaged(), rules, *random, answer_tokens(trainer, config))) {}

  Rules rules;
  std::unique_ptr<Random> random;
  std::unique_ptr<Sampler> sampler;
};

}  // namespace

std::string ValidationReport::in_short() const {
  std::string text = graded > 0
                         ? fmt::format("{:.1f} % right in {:.1f} steps", 100 * quality(), steps_per_canvas)
                         : fmt::format("{:.1f} steps", steps_per_canvas);
  if (!std::isnan(held_out.denoising)) text += fmt::format(", held out {:.4f} denoising", held_out.denoising);
  if (!std::isnan(held_out.causal)) text += fmt::format(", {:.4f} causal", held_out.causal);
  return text;
}

Validation::Validation(const Trainer& trainer, const TrainConfig& config)
    : trainer_(trainer), config_(config) {
  config.task->check(trainer.tokenizer(), answer_tokens(trainer, config));
  for (int i = 0; i < config.training.validation_samples; ++i) {
    std::optional<TaskItem> item = config.task->example(Split::kValidation, static_cast<std::uint64_t>(i));
    if (!item) break;
    requests_.push_back({.sample = static_cast<std::uint64_t>(i),
                         .prompt = encode_prompt(*item, trainer.tokenizer()),
                         .padding_before = 0,
                         .initial_canvas = {}});
    items_.push_back(std::move(*item));
  }
  const int count = static_cast<int>(items_.size());
  rows_ = trainer.batch_maker(Split::kValidation).rows(/*step=*/0, count, 0, count);
  ConfiguredSampler(trainer, config).sampler->check(requests_);
}

ValidationReport Validation::run() const {
  const auto start = std::chrono::steady_clock::now();
  ConfiguredSampler configured(trainer_, config_);
  Grading grading(*config_.task, trainer_.tokenizer(), items_);
  configured.sampler->run(requests_, grading);
  grading.report.metrics = grading.means();
  grading.report.held_out = trainer_.held_out(rows_);
  grading.report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return grading.report;
}

}  // namespace canvaslab
