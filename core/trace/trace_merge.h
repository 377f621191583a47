// Joins trace files into one, a slice at a time, so that neither memory nor the time of one call grows with
// the trace.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "core/trace/trace_file.h"

namespace canvaslab {

// Called with hdf5::library_mutex() held; it may be released between calls.
class TraceMerge {
 public:
  // `output` is overwritten. Throws Error if the inputs' levels or canvas lengths differ.
  TraceMerge(std::vector<std::filesystem::path> inputs, const std::filesystem::path& output,
             const TraceHeader& header);

  // Copies about 1 MiB. False once everything is copied and the file is closed.
  bool advance();

 private:
  void add_extents(const std::filesystem::path& input, Extents& total);
  void copy_slice();

  std::vector<std::filesystem::path> inputs_;
  TraceHeader header_;
  std::unique_ptr<TraceFileWriter> output_;
  std::unique_ptr<TraceFileReader> input_;
  Extents base_;  // rows of the inputs before this one
  size_t next_input_ = 0;
  size_t column_ = 0;  // where in the open input the next slice begins
  size_t row_ = 0;
};

}  // namespace canvaslab
