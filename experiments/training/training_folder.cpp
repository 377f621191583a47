#include "experiments/training/training_folder.h"

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"
#include "core/standard_streams.h"
#include "core/trace/trace_folder.h"
#include "models/checkpoint/atomic_file.h"
#include "models/checkpoint/huggingface.h"

namespace canvaslab {
namespace {

std::filesystem::path set_aside(const std::filesystem::path& place) {
  return place.string() + ".old";
}

// Puts `fresh` in the place of `place` in one step, whether or not something is there.
void replace_folder(const std::filesystem::path& fresh, const std::filesystem::path& place) {
  if (!std::filesystem::exists(place)) return std::filesystem::rename(fresh, place);
  if (exchange_folders(fresh, place)) {
    std::filesystem::remove_all(fresh);
    return;
  }
  // A file system that cannot exchange (NFS): the old folder stays beside it until the new one is there.
  const std::filesystem::path old = set_aside(place);
  std::filesystem::remove_all(old);
  std::filesystem::rename(place, old);
  std::filesystem::rename(fresh, place);
  std::filesystem::remove_all(old);
}

std::string nats(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.4f} nats a token", value);
}

std::string validation_table(const ValidationReport& report) {
  std::string table = fmt::format("| validation | |\n|---|---|\n| prompts | {} |\n", report.samples);
  if (report.graded > 0)
    table += fmt::format("| right | {} of {} graded ({:.1f} %) |\n", report.right, report.graded,
                         100 * report.quality());
  table += fmt::format(
      "| denoising steps a canvas | {:.2f} |\n| held-out denoising loss | {} |\n| held-out causal loss | {} "
      "|\n",
      report.steps_per_canvas, nats(report.held_out.denoising), nats(report.held_out.causal));
  for (const Metric& metric : report.metrics)
    table += fmt::format("| {} | {:.4f} |\n", metric.name, metric.value);
  return table;
}

std::string model_card(const Trainer& trainer, const ValidationReport& report,
                       const std::string& configuration) {
  return fmt::format(
      "# A small text-diffusion model\n\n"
      "Trained by `canvaslab train`: {} parameters, {} updates. The weights are the running average, at the "
      "validation with {}.\n\n{}\n## The configuration that trained it\n\n```yaml\n{}```\n",
      trainer.parameters(), trainer.steps_done(),
      report.graded > 0 ? "the largest share of right answers"
                        : "the lowest held-out denoising loss, since nothing is graded",
      validation_table(report), configuration);
}

}  // namespace

void TrainingFolder::save_state(const Trainer& trainer, const TrainingLog& log) const {
  TensorMap state = trainer.state();
  state.merge(log.state());
  write_safetensors(folder_ / "state.safetensors", state);
  log.write(folder_ / "metrics.h5");
}

void TrainingFolder::load_state(Trainer& trainer, TrainingLog& log) const {
  const std::filesystem::path saved = folder_ / "state.safetensors", metrics = folder_ / "metrics.h5";
  if (!std::filesystem::exists(saved)) {
    if (!std::filesystem::exists(metrics)) return;
    throw ConfigurationError(
        fmt::format("{} is missing, without which the training cannot go on: expected it beside {}",
                    saved.string(), metrics.filename().string()));
  }
  const TensorMap state = read_safetensors(saved);
  trainer.load(state);
  log.load(state);
  if (std::filesystem::exists(metrics)) return;
  tell(fmt::format("warning: {} was missing; it is made anew from {}\n", metrics.string(),
                   saved.filename().string()));
  log.write(metrics);
}

bool TrainingFolder::has_checkpoint() const {
  const std::filesystem::path aside = set_aside(checkpoint());
  if (!std::filesystem::exists(checkpoint()) && std::filesystem::exists(aside))
    std::filesystem::rename(aside, checkpoint());
  try {
    if (std::filesystem::exists(checkpoint() / "adapter_config.json")) {
      load_adapter(checkpoint());
    } else {
      inspect_checkpoint(checkpoint());
    }
    return true;
  } catch (const ConfigurationError&) {
    return false;
  }
}

void TrainingFolder::save_checkpoint(const Trainer& trainer, const ValidationReport& report,
                                     const std::string& configuration) const {
  const std::filesystem::path fresh = folder_ / "checkpoint.new";
  std::filesystem::remove_all(fresh);  // of a training that was killed while it saved
  if (const std::optional<Adapter> adapter = trainer.averaged_adapter()) {
    save_adapter(fresh, *adapter);
  } else {
    canvaslab::save_checkpoint(fresh, trainer.parts().config, trainer.parts().generation,
                               trainer.averaged_weights(), trainer.parts().tokenizer_json);
  }
  write_atomically(fresh / "training.yaml", configuration);
  write_atomically(fresh / "README.md", model_card(trainer, report, configuration));
  replace_folder(fresh, checkpoint());
}

}  // namespace canvaslab
