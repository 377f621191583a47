// Hands what the loop does to the trace: steps are gathered by sample and go out canvas by canvas.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "core/trace/trace_reader.h"
#include "core/trace/trace_writer.h"
#include "samplers/sample.h"

namespace canvaslab {

class TraceObserver : public SampleObserver {
 public:
  explicit TraceObserver(TraceWriter& writer) : writer_(writer) {}

  // These canvases are in the trace already: they are not handed on.
  void skip(std::set<CanvasKey> recorded) { recorded_ = std::move(recorded); }

  void step(const StreamKey& key, const StepRecord& record, const StopSignal& signal, float slack,
            double seconds) override;
  void canvas(const CanvasResult& result) override;

 private:
  TraceWriter& writer_;
  std::map<std::uint64_t, std::vector<StepTrace>> steps_;  // of each sample's canvas at work
  std::set<CanvasKey> recorded_;
};

}  // namespace canvaslab
