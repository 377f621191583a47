// The typed form of configs/config.yaml: what a sampling run is made of.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/config/bind.h"
#include "core/config/describe.h"
#include "core/random/random_source.h"
#include "core/registry.h"
#include "core/trace/trace_records.h"
#include "experiments/tasks/task.h"
#include "models/model_source.h"
#include "samplers/noise/noise_process.h"
#include "samplers/sampler_config.h"
#include "samplers/selection/selection_rule.h"
#include "samplers/stopping/stopping_criterion.h"
#include "schedules/noise/noise_schedule.h"
#include "schedules/temperature/temperature_schedule.h"

namespace canvaslab {

struct TraceConfig {
  TraceLevel level = TraceLevel::kSteps;

  template <class Visitor>
  void fields(Visitor& visit) {
    visit.choice(
        "level", level,
        {{"none", TraceLevel::kNone}, {"summary", TraceLevel::kSummary}, {"steps", TraceLevel::kSteps}},
        {.meaning = "how much is recorded: nothing, samples and canvases, or every step and position"});
  }
};

struct RunConfig {
  std::unique_ptr<ModelSource> model;
  std::unique_ptr<NoiseProcess> noise;
  std::unique_ptr<NoiseSchedule> noise_schedule;
  std::unique_ptr<TemperatureSchedule> temperature;
  std::unique_ptr<SelectionRule> selection;
  std::unique_ptr<StoppingCriterion> stopping;
  SamplerConfig sampler;
  std::unique_ptr<RandomSource> random;
  std::unique_ptr<Task> task;
  TraceConfig trace;
  std::uint64_t seed = 1;
  std::optional<int> threads;

  template <class Visitor>
  void fields(Visitor& visit) {
    visit("model", model, {.meaning = "what predicts"});
    visit("noise", noise, {.meaning = "what a canvas starts from and what a rejected position becomes"});
    visit("noise_schedule", noise_schedule,
          {.meaning = "how much of a canvas is clean at each level of noise"});
    visit("temperature", temperature, {.meaning = "how the sampling temperature moves over the steps"});
    visit("selection", selection, {.meaning = "which positions are committed at a step"});
    visit("stopping", stopping, {.meaning = "when a canvas is done before its last step"});
    visit("sampler", sampler, {.meaning = "the loop itself"});
    visit("random", random, {.meaning = "where random numbers come from"});
    visit("task", task, {.meaning = "what is asked, and whether an answer is right"});
    visit("trace", trace, {.meaning = "what is recorded"});
    visit("seed", seed, {.meaning = "every random number follows from it", .minimum = 0});
    visit("threads", threads,
          {.unit = "threads", .meaning = "CPU threads; null: one per core", .minimum = 1, .maximum = 4096});
  }
};

}  // namespace canvaslab
