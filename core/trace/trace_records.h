// What a trace records: rows of one run, as the loop hands them over and as the reader gives them back.
//
// Shapes: L canvas positions, the same for every canvas of a run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/step.h"

namespace canvaslab {

// How much is recorded. kSummary: samples and canvases. kSteps: every step and position as well.
enum class TraceLevel : std::uint8_t { kNone, kSummary, kSteps };

// "none", "summary" or "steps"; anything else is a ConfigurationError that names the nearest.
TraceLevel parse_trace_level(std::string_view name);
std::string trace_level_name(TraceLevel level);

// One denoising step of one canvas.
struct StepTrace {
  float temperature = 1;
  float mean_entropy = 0;  // nats, over the positions that the stopping rule counts
  float bound_slack = 0;   // nats that were left below the rule's entropy bound; NaN when the rule has none
  int accepted = 0;        // positions that were committed or kept
  int changed = 0;         // positions whose token differs after the step
  bool stable = false;     // the stopping rule's stability condition held
  bool confident = false;  // the stopping rule's confidence condition held
  float seconds = 0;
  Prediction prediction;
  std::vector<Decision> decision;  // [L]
  std::vector<TokenId> canvas;     // [L] before the step
};

// One canvas, from its first step until it stopped.
struct CanvasTrace {
  std::uint64_t sample = 0;
  std::uint32_t index = 0;  // which canvas of the sample
  std::vector<StepTrace> steps;
  std::string stop_reason;
  float prefill_seconds = 0;
  float denoise_seconds = 0;
  std::vector<TokenId> committed;  // [L]
};

// One sample: a prompt and what came back for it.
struct SampleTrace {
  std::uint64_t sample = 0;
  std::string id;
  std::string prompt;
  std::string target;
  std::string text;
  std::int8_t correct = -1;  // 1 right, 0 wrong, -1 not graded
  std::vector<TokenId> prompt_tokens;
  std::vector<TokenId> tokens;
  int canvases = 0;
  int steps = 0;
  float seconds = 0;
  std::string stop_reason;
};

// What made the run: enough to run it again.
struct RunInfo {
  std::uint64_t seed = 0;
  std::string program_version;
  std::string git_commit;
  std::string config_yaml;  // the resolved configuration
  std::vector<std::string> overrides;
};

}  // namespace canvaslab
