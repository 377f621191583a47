// What a run amounts to in a few numbers: the same for every repetition, on any number of threads, in any
// batch.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/step.h"
#include "experiments/ratio_sums.h"

namespace canvaslab {

// One sample's share.
struct SampleCounts {
  std::uint64_t sample = 0;
  int correct = -1;  // 1 right, 0 wrong, -1 not graded
  std::int64_t canvases = 0;
  std::int64_t passes = 0;     // denoising passes that worked on it
  std::int64_t generated = 0;  // tokens up to and including the end of the sequence
  std::span<const TokenId> tokens;
  std::string_view prompt;
};

struct RunMetrics {
  std::int64_t samples = 0, graded = 0, correct = 0;
  std::int64_t canvases = 0, passes = 0, tokens = 0;
  RatioSums steps;            // passes per canvas
  RatioSums speed;            // tokens per pass
  std::uint64_t digest = 0;   // of every token of every sample, whatever the order in which they finished
  std::string grades;         // one letter a sample, in their order: '1' right, '0' wrong, '.' not graded
  std::uint64_t prompts = 0;  // digest of every sample's prompt: equal where the same was asked

  std::vector<MetricSummary> measures;  // of runs without grades: what a table can show instead

  void add(const SampleCounts& sample);

  double accuracy() const;  // of the graded samples; NaN when there are none
  double steps_per_canvas() const;
  double tokens_per_pass() const;

  bool operator==(const RunMetrics&) const = default;
};

// Name and value of each metric, in the order in which tables show them.
using MetricValue = std::variant<std::int64_t, double, std::string>;
std::vector<std::pair<const char*, MetricValue>> named_values(const RunMetrics& metrics);

// What a result file keeps, and back. nlohmann's exceptions when a number is missing; grades, prompts
// and the sums for intervals, which files of earlier versions lack, stay empty then.
nlohmann::json to_json(const RunMetrics& metrics);
RunMetrics metrics_of(const nlohmann::json& json);

}  // namespace canvaslab
