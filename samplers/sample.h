// What goes into the sampling loop and what comes out, sample by sample.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/step.h"
#include "samplers/stopping/stopping_criterion.h"

namespace canvaslab {

struct SampleRequest {
  std::uint64_t sample = 0;              // key of its random streams
  std::vector<TokenId> prompt;           // [S]
  std::int64_t padding_before = 0;       // parity with padded batches: positions in front of the prompt
  std::vector<TokenId> initial_canvas;   // [L]; empty: drawn from the noise process
  std::vector<std::uint8_t> fixed = {};  // [L] 1: given, never changed (infilling); empty: nothing is
};

// One finished canvas.
struct CanvasResult {
  std::uint64_t sample = 0;
  std::uint32_t index = 0;
  int steps = 0;
  std::string stop_reason;  // "stopped" (the criterion), "complete" (nothing left to decide), "steps" (all N)
  std::vector<TokenId> tokens;  // [L] committed, padding after the end of the sequence included
  double prefill_seconds = 0;   // this row's share of the pass that read what came before
  double denoise_seconds = 0;   // this row's share of its steps
};

// One finished sample.
struct SampleResult {
  std::uint64_t sample = 0;
  std::vector<TokenId> tokens;  // all canvases, or at most max_new_tokens
  std::int64_t generated = 0;   // tokens up to and including the end of the sequence
  int canvases = 0;
  int forward_passes = 0;   // denoising passes that worked on it
  double seconds = 0;       // from its prefill to its last step, by the clock
  std::string stop_reason;  // "end" (an end token came back) or "length"

  double tokens_per_forward() const {
    return forward_passes > 0 ? static_cast<double>(generated) / forward_passes : 0;
  }
};

// Watches the loop from outside: traces, progress, displays. Called on the loop's thread.
class SampleObserver {
 public:
  virtual ~SampleObserver() = default;
  virtual void step(const StreamKey& /*key*/, const StepRecord& /*record*/, const StopSignal& /*signal*/,
                    float /*slack*/, double /*seconds*/) {}
  virtual void canvas(const CanvasResult& /*result*/) {}
  virtual void sample(const SampleResult& /*result*/) {}
};

}  // namespace canvaslab
