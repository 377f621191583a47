// A run's results as they come in: graded, counted, and sent on to the trace and the display.
#pragma once

#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "core/trace/trace_reader.h"
#include "core/trace/trace_writer.h"
#include "experiments/metrics.h"
#include "experiments/run_metrics.h"
#include "experiments/session.h"
#include "experiments/trace_observer.h"

namespace canvaslab {

class Results : public SampleObserver {
 public:
  struct Recorded {  // by an earlier process that was interrupted
    std::set<CanvasKey> canvases;
    std::vector<SampleTrace> samples;
  };

  Results(const Session& session, const std::vector<TaskItem>& items,
          const std::vector<SampleRequest>& requests, TraceWriter& writer, SampleObserver& progress);

  // Counts what an earlier process recorded; its canvases are not recorded again.
  void take_over(const Recorded& recorded);

  // Throws Interrupted when a signal came.
  void step(const StreamKey& key, const StepRecord& record, const StopSignal& signal, float slack,
            double seconds) override;
  void canvas(const CanvasResult& result) override;
  void sample(const SampleResult& result) override;

  // Measures that are not of one sample's answer.
  void add(const std::vector<Metrics>& measures);

  // Every sample in order, and the summary.
  void print(std::ostream& out, double seconds) const;

  RunMetrics metrics() const;

 private:
  void count(const SampleTrace& sample, std::int64_t generated);
  std::string line(const SampleTrace& sample, std::int64_t generated) const;

  const Session& session_;
  const std::vector<TaskItem>& items_;
  const std::vector<SampleRequest>& requests_;
  TraceWriter& writer_;
  TraceObserver trace_;
  SampleObserver& progress_;
  std::vector<std::string> lines_;
  std::vector<std::vector<int>> canvas_steps_;
  RunMetrics metrics_;
  MetricTable measures_;
  std::vector<TaskAnswer> answers_;
};

}  // namespace canvaslab
