// The typed form of configs/config.yaml: what a sampling run is made of.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/trace/trace_records.h"
#include "experiments/sampling_parts.h"
#include "experiments/start/start.h"
#include "experiments/tasks/task.h"
#include "models/model_source.h"

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

struct RunConfig : SamplingParts {
  std::unique_ptr<ModelSource> model;
  std::unique_ptr<Task> task;
  std::unique_ptr<Start> start;
  TraceConfig trace;
  std::uint64_t seed = 1;
  std::optional<int> threads;

  template <class Visitor>
  void fields(Visitor& visit) {
    visit("model", model, {.meaning = "what predicts"});
    SamplingParts::fields(visit);
    visit("task", task, {.meaning = "what is asked, and whether an answer is right"});
    visit("start", start, {.meaning = "what the first canvas of a sample holds"});
    visit("trace", trace, {.meaning = "what is recorded"});
    visit("seed", seed, {.meaning = "every random number follows from it", .minimum = 0});
    visit("threads", threads,
          {.unit = "threads", .meaning = "CPU threads; null: one per core", .minimum = 1, .maximum = 4096});
  }
};

}  // namespace canvaslab
