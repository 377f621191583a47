// Reads a trace back: the finished file, or the parts of a run that is going or was interrupted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/trace/trace_records.h"

namespace canvaslab {

struct TraceContents {
  RunInfo run;
  TraceLevel level = TraceLevel::kSteps;
  std::string created;  // UTC, ISO 8601
  bool complete = false;
  std::vector<CanvasTrace> canvases;  // at level kSummary the steps are counted but empty
  std::vector<SampleTrace> samples;
};

// The whole trace of a run folder (trace.h5 if it is there, else all parts) or of one file, in memory.
// Throws ConfigurationError when there is none, Error when a file cannot be read.
TraceContents read_trace(const std::filesystem::path& folder_or_file);

// The samples alone: what a trace of any length has of them fits into memory.
std::vector<SampleTrace> read_samples(const std::filesystem::path& folder_or_file);

using CanvasKey = std::pair<std::uint64_t, std::uint32_t>;  // sample, index

// What a run folder has recorded so far, to be skipped by a resumed run; empty without a trace.
std::set<CanvasKey> recorded_canvases(const std::filesystem::path& run_folder);
std::set<std::uint64_t> recorded_samples(const std::filesystem::path& run_folder);

}  // namespace canvaslab
