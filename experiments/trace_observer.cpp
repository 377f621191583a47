#include "experiments/trace_observer.h"

#include <algorithm>

namespace canvaslab {

void TraceObserver::step(const StreamKey& key, const StepRecord& record, const StopSignal& signal,
                         float slack, double seconds) {
  StepTrace step;
  step.temperature = record.temperature;
  step.mean_entropy = record.mean_entropy;
  step.bound_slack = slack;
  step.accepted =
      static_cast<int>(std::count_if(record.decision.begin(), record.decision.end(),
                                     [](Decision decision) { return decision != Decision::kRenoise; }));
  for (size_t i = 0; i < record.canvas.size(); ++i)
    step.changed += record.canvas[i] != record.next_canvas[i] ? 1 : 0;
  step.stable = signal.stable;
  step.confident = signal.confident;
  step.seconds = static_cast<float>(seconds);
  step.prediction = record.prediction;
  step.decision = record.decision;
  step.canvas = record.canvas;
  steps_[key.sample].push_back(std::move(step));
}

void TraceObserver::canvas(const CanvasResult& result) {
  CanvasTrace canvas;
  canvas.sample = result.sample;
  canvas.index = result.index;
  canvas.steps = std::move(steps_[result.sample]);
  canvas.stop_reason = result.stop_reason;
  canvas.prefill_seconds = static_cast<float>(result.prefill_seconds);
  canvas.denoise_seconds = static_cast<float>(result.denoise_seconds);
  canvas.committed = result.tokens;
  steps_.erase(result.sample);
  if (!recorded_.contains({result.sample, result.index})) writer_.append(std::move(canvas));
}

}  // namespace canvaslab
