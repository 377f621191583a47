// The trace of a run that records nothing.
#include "core/trace/no_trace.h"

namespace canvaslab {
namespace {

class NoTrace : public TraceWriter {
 public:
  void append(CanvasTrace) override {}
  void append(SampleTrace) override {}
  void finish() override {}
};

}  // namespace

std::unique_ptr<TraceWriter> open_no_trace() {
  return std::make_unique<NoTrace>();
}

}  // namespace canvaslab
