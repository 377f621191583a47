// What recording costs a step at level "steps": what append() keeps the caller, and the processor time of
// everything, the writing thread and the final merge included. The goals: 50 microseconds a step at canvas
// 16, 200 at canvas 256.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <thread>

#include "core/trace/trace_writer.h"

namespace canvaslab {
namespace {

constexpr int kSteps = 48;

// A canvas that settles as real ones do: ever more positions are certain and keep their token.
CanvasTrace settling_canvas(int length) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> uniform(0, 1);
  CanvasTrace canvas;
  canvas.stop_reason = "stable_and_confident";
  canvas.committed.assign(static_cast<size_t>(length), 11);
  for (int i = 0; i < kSteps; ++i) {
    StepTrace step;
    const float settled = static_cast<float>(i) / kSteps;
    for (int position = 0; position < length; ++position) {
      const bool certain = uniform(random) < settled;
      const float confidence = certain ? 1 - 1e-4f * uniform(random) : uniform(random);
      const TokenId token = certain ? position * 997 % 262144 : static_cast<TokenId>(random() % 262144);
      step.prediction.entropy.push_back(-std::log(confidence));
      step.prediction.confidence.push_back(confidence);
      step.prediction.margin.push_back(2 * confidence - 1);
      step.prediction.sampled_probability.push_back(confidence);
      step.prediction.current_probability.push_back(certain ? confidence : uniform(random));
      step.prediction.argmax.push_back(token);
      step.prediction.sampled.push_back(token);
      step.decision.push_back(certain ? Decision::kCommitSampled : Decision::kRenoise);
      step.canvas.push_back(token);
    }
    canvas.steps.push_back(std::move(step));
  }
  return canvas;
}

double processor_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * time.tv_usec;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Records canvases at a pace of 1 ms a step, which is fast for any model.
void BM_TraceStep(benchmark::State& state) {
  const CanvasTrace canvas = settling_canvas(static_cast<int>(state.range(0)));
  const auto run = std::filesystem::temp_directory_path() / ("canvaslab-trace-" + std::to_string(::getpid()));
  const auto trace = open_trace(run, RunInfo{}, TraceLevel::kSteps);
  const double processor = processor_seconds();
  double copying = 0;
  double appending = 0;
  std::uint64_t sample = 0;
  for (auto _ : state) {
    const double before = processor_seconds();
    CanvasTrace next = canvas;
    next.sample = sample++;
    copying += processor_seconds() - before;
    const auto start = std::chrono::steady_clock::now();
    trace->append(std::move(next));
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    appending += taken.count();
    state.SetIterationTime(taken.count());
    std::this_thread::sleep_for(std::chrono::milliseconds(kSteps));
  }
  trace->finish();
  const double steps = static_cast<double>(sample) * kSteps;
  state.counters["processor_us_per_step"] = 1e6 * (processor_seconds() - processor - copying) / steps;
  state.counters["bytes_per_step"] =
      static_cast<double>(std::filesystem::file_size(run / "trace.h5")) / steps;
  state.counters["append_us_per_step"] = 1e6 * appending / steps;
  std::filesystem::remove_all(run);
}
BENCHMARK(BM_TraceStep)->Arg(16)->Arg(256)->UseManualTime()->Iterations(400);

}  // namespace
}  // namespace canvaslab
