// One sampling run in one folder: a task's prompts, denoised, graded and recorded. `canvaslab run` does one,
// a sweep does one a cell.
#pragma once

#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "core/trace/trace_writer.h"
#include "experiments/run_metrics.h"
#include "experiments/session.h"
#include "samplers/sample.h"

namespace canvaslab {

// The model's tokenizer. ConfigurationError when it has none: a run's prompts are text.
const Tokenizer& needed_tokenizer(const Model& model);

class SamplingRun {
 public:
  // `session` must be loaded and outlive this. ConfigurationError: the model has no tokenizer, the task no
  // readable prompts, or a prompt does not fit.
  explicit SamplingRun(const Session& session);

  struct Place {
    std::filesystem::path folder;
    std::vector<std::string> overrides;  // for the record
    TraceStart start = TraceStart::kFresh;
  };

  // Runs every sample, or with kResume those that the folder's trace lacks, and records them. `out`, when
  // given, gets one line a sample and a summary. Interrupted when a signal came and somebody watches for it
  // (experiments/interruption.h); whatever ends it early, what was recorded until then stays.
  RunMetrics run(const Place& place, std::unique_ptr<SampleObserver> progress, std::ostream* out) const;

  size_t samples() const { return items_.size(); }

 private:
  const Session& session_;
  std::vector<TaskItem> items_;
  std::vector<SampleRequest> requests_;
};

}  // namespace canvaslab
