// Records a run in its folder, so that a kill at any moment loses at most the last second.
//
// While a run is going, RUN/trace/part-*.h5 hold what was recorded so far; finish() joins them into
// RUN/trace.h5. Every one of these files is complete in itself and opens with plain HDF5 tools.
#pragma once

#include <filesystem>
#include <memory>

#include "core/trace/trace_records.h"

namespace canvaslab {

// Thread safe. After the first failure every call throws that failure again.
class TraceWriter {
 public:
  virtual ~TraceWriter() =
      default;  // without finish(): writes what is pending, the run stays marked incomplete

  // Queues a row; a background thread writes it. Blocks only while the disk is more than 8 MiB behind.
  // Throws Error when a vector isn't [L], when the canvas or sample was recorded before, or when an earlier
  // write failed (naming the file and the reason).
  virtual void append(CanvasTrace canvas) = 0;
  virtual void append(SampleTrace sample) = 0;

  // Writes everything and joins the parts into trace.h5, marked complete. The last call.
  virtual void finish() = 0;
};

enum class TraceStart : std::uint8_t {
  kFresh,   // the folder must not hold a trace
  kResume,  // adds to the parts of an interrupted run, if there are any
};

// Opens the trace of a run; level kNone gives a writer that records nothing and touches no file.
// Throws ConfigurationError when another writer has the folder, when the folder holds a trace (kFresh), or
// when what it holds is complete or was recorded with another seed or level (kResume).
std::unique_ptr<TraceWriter> open_trace(const std::filesystem::path& run_folder, const RunInfo& run,
                                        TraceLevel level, TraceStart start = TraceStart::kFresh);

}  // namespace canvaslab
