// Hands what the loop does to the trace: steps are gathered by sample and go out canvas by canvas.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/trace/trace_writer.h"
#include "samplers/sample.h"

namespace canvaslab {

class TraceObserver : public SampleObserver {
 public:
  explicit TraceObserver(TraceWriter& writer) : writer_(writer) {}

  void step(const StreamKey& key, const StepRecord& record, const StopSignal& signal, float slack,
            double seconds) override;
  void canvas(const CanvasResult& result) override;

 private:
  TraceWriter& writer_;
  std::map<std::uint64_t, std::vector<StepTrace>> steps_;  // of each sample's canvas at work
};

}  // namespace canvaslab
