#include "experiments/training/train.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <chrono>
#include <csignal>
#include <optional>

#include "core/config/yaml.h"
#include "core/error.h"
#include "core/standard_streams.h"
#include "core/trace/trace_folder.h"
#include "experiments/bound_config.h"
#include "experiments/core_count.h"
#include "experiments/interruption.h"
#include "experiments/output_folder.h"
#include "experiments/training/processes.h"
#include "experiments/training/trainer.h"
#include "experiments/training/training_folder.h"
#include "experiments/training/training_log.h"
#include "experiments/training/validation.h"

namespace canvaslab {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A composition, with what it means.
struct TrainSession {
  TrainSession(config::Composition composed, config::Errors& errors)
      : composition(std::move(composed)), resolved(resolved_job(composition, errors)) {
    bind_whole(resolved, config, errors);
    at::set_num_threads(config.threads.value_or(core_count()));
  }

  // As it takes effect, defaults filled in.
  config::Node effective() { return config::to_node(config, &resolved); }

  config::Composition composition;
  config::Node resolved;
  TrainConfig config;
};

// One line a second on stderr.
class TrainingProgress {
 public:
  explicit TrainingProgress(const TrainConfig& config, std::int64_t already)
      : config_(config), already_(already) {}

  void step(const StepReport& report, const ValidationReport& last) {
    tokens_ += report.tokens;
    const bool end = report.step == config_.training.steps;
    if (seconds_since(shown_) < 1 && !end) return;
    shown_ = Clock::now();
    const double elapsed = seconds_since(start_);
    const auto done = static_cast<double>(report.step - already_);
    std::string text =
        fmt::format("step {}/{}  loss {:.4f} (denoising {:.4f}, causal {:.4f})  {:.0f} tokens/s", report.step,
                    config_.training.steps, report.loss, report.denoising, report.causal,
                    static_cast<double>(tokens_) / elapsed);
    if (last.samples > 0) text += "  validation " + last.in_short();
    if (!end) {
      text += fmt::format("  {:.0f} s left",
                          static_cast<double>(config_.training.steps - report.step) * elapsed / done);
    }
    tell(text + "\n");
  }

 private:
  const TrainConfig& config_;
  std::int64_t already_, tokens_ = 0;
  Clock::time_point start_ = Clock::now(), shown_ = start_;
};

// Validates after the current step, and keeps the weights when none before were better.
ValidationReport validate_and_keep(const Trainer& trainer, const Validation& validation,
                                   const TrainingFolder& folder, const std::string& yaml, TrainingLog& log) {
  const std::optional<TrainingLog::Kept> best = log.kept();
  const ValidationReport report = validation.run();
  log.add(trainer.steps_done(), report);
  if (!best || TrainingLog::Kept(report).at_least_as_good_as(*best))
    folder.save_checkpoint(trainer, report, yaml);
  return report;
}

// Where the best weights so far were deleted, those of the last saved step take their place.
void replace_lost_checkpoint(const Trainer& trainer, const Validation& validation,
                             const TrainingFolder& folder, const std::string& yaml, TrainingLog& log) {
  if (!log.kept() || folder.has_checkpoint()) return;
  tell(
      fmt::format("warning: {} is missing or damaged, and the best weights so far are lost with it; those of "
                  "step {} take their place\n",
                  folder.checkpoint().string(), trainer.steps_done()));
  log.lose_kept_weights();
  validate_and_keep(trainer, validation, folder, yaml, log);
  folder.save_state(trainer, log);
}

// What the end of a training says about its validations.
std::string verdict(const Validation& validation, const TrainingLog& log) {
  if (validation.samples() == 0) return "no validation: the task has no examples in that split";
  const TrainingLog::Kept kept = log.kept().value();
  if (kept.graded) return fmt::format("best validation {:.1f} % right", 100 * kept.quality);
  return fmt::format("lowest held-out denoising loss {:.4f} nats", kept.denoising);
}

// The signal that stops the training, or 0: the same in all processes, whichever of them it came to.
int agreed_interruption(const Processes& processes) {
  at::Tensor signals = at::tensor({interruption() != 0 ? 1 : 0}, at::kLong);
  processes.sum(signals);
  if (signals.item<std::int64_t>() == 0) return 0;
  return interruption() != 0 ? interruption() : SIGTERM;
}

// All processes must go on from the same step.
void check_same_step(const Trainer& trainer, const Processes& processes) {
  at::Tensor steps = at::tensor({trainer.steps_done()}, at::kLong);
  processes.sum(steps);
  if (steps.item<std::int64_t>() != trainer.steps_done() * processes.count()) {
    throw ConfigurationError(fmt::format(
        "process {} starts after step {}, another one elsewhere: do all of them see the same folder?",
        processes.rank(), trainer.steps_done()));
  }
}

// What every process but the first does: its share of every step.
int follow(const TrainConfig& config, Trainer& trainer, const Processes& processes) {
  check_same_step(trainer, processes);
  watch_for_interruption();
  try {
    while (trainer.steps_done() < config.training.steps) {
      trainer.step();
      const int signal = agreed_interruption(processes);
      if (signal != 0 && trainer.steps_done() < config.training.steps)
        throw Interrupted(signal,
                          fmt::format("process {} stopped by {}", processes.rank(), signal_name(signal)));
    }
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    if (interruption() == 0) throw;
    throw Interrupted(interruption(),
                      error.what());  // the first process stopped while the others waited for it
  }
  return 0;
}

int train_in(const std::filesystem::path& place, const TrainConfig& config, Trainer& trainer,
             const Validation& validation, const Processes& processes, const std::string& yaml,
             std::ostream& out) {
  watch_for_interruption();
  const TrainingFolder folder(place);
  const auto lock = FolderLock::try_lock(place / "training.lock");
  if (!lock) {
    throw ConfigurationError(fmt::format("{} is being written by another training", place.string()));
  }
  TrainingLog log;
  folder.load_state(trainer, log);
  check_same_step(trainer, processes);
  std::int64_t saved = trainer.steps_done();
  const auto stop_here = [&](int signal) {
    return Interrupted(
        signal, fmt::format("stopped by {}; saved after step {}. To go on: canvaslab train --resume {}",
                            signal_name(signal), saved, place.string()));
  };
  const TrainingConfig& training = config.training;
  try {
    replace_lost_checkpoint(trainer, validation, folder, yaml, log);
  } catch (const Interrupted& interrupted) {
    throw stop_here(interrupted.signal);
  }
  TrainingProgress progress(config, trainer.steps_done());
  ValidationReport last;
  while (trainer.steps_done() < training.steps) {
    const Clock::time_point start = Clock::now();
    const StepReport report = trainer.step();
    log.add(report, static_cast<double>(report.tokens) / seconds_since(start));
    const int signal = agreed_interruption(processes);
    const bool end = report.step == training.steps;
    if (report.step % training.validate_every == 0 || end) {
      try {
        last = validate_and_keep(trainer, validation, folder, yaml, log);
      } catch (const Interrupted& interrupted) {
        throw stop_here(interrupted.signal);  // the step is taken again: its validation belongs to it
      }
    }
    progress.step(report, last);
    if (report.step % training.save_every == 0 || end || signal != 0) {
      folder.save_state(trainer, log);
      saved = report.step;
    }
    if (signal != 0 && !end) throw stop_here(signal);
  }
  fmt::print(out, "{} updates, {}\ncheckpoint: {}\n", trainer.steps_done(), verdict(validation, log),
             folder.checkpoint().string());
  return 0;
}

// Starts a training, or goes on with the one in the folder `resumed`: every process does the same up to here.
int train_session(TrainSession& session, const std::optional<std::filesystem::path>& resumed,
                  const std::vector<std::string>& overrides, std::ostream& out) {
  const std::unique_ptr<Processes> processes = Processes::from_environment();
  Trainer trainer(session.config, *processes);
  const Validation validation(trainer, session.config);
  if (!processes->leads()) {
    TrainingLog unused;
    if (resumed) TrainingFolder(*resumed).load_state(trainer, unused);
    return follow(session.config, trainer, *processes);
  }
  const config::Node effective = session.effective();
  const std::filesystem::path folder =
      resumed ? *resumed : make_output_folder(session.composition, effective, overrides);
  return train_in(folder, session.config, trainer, validation, *processes, config::to_yaml(effective), out);
}

}  // namespace

int train(const ConfigLocation& location, const std::vector<std::string>& overrides, std::ostream& out) {
  config::Errors errors;
  config::Composition composition = compose_noting(location, overrides, errors);
  TrainSession session(std::move(composition), errors);
  return train_session(session, std::nullopt, overrides, out);
}

int resume_training(const std::filesystem::path& given, const std::vector<std::string>& words,
                    std::ostream& out) {
  if (!words.empty()) {
    throw ConfigurationError(
        fmt::format("command line '{}': a training is resumed with the configuration it was started with",
                    words.front()));
  }
  const std::filesystem::path folder = std::filesystem::absolute(given);
  const StoredRun stored = read_output_folder(folder);
  if (stored.composition.config.find("training") == nullptr) {
    throw ConfigurationError(fmt::format("{} holds no training, but a run: canvaslab run --resume {}",
                                         folder.string(), folder.string()));
  }
  take_up(stored, folder);
  config::Errors errors;
  TrainSession session(stored.composition, errors);
  return train_session(session, folder, {}, out);
}

}  // namespace canvaslab
