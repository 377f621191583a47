// The parts of a running run: adds parts, keeps their number small, and joins them at the end. Used by one
// thread.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "core/trace/trace_folder.h"
#include "core/trace/trace_merge.h"

namespace canvaslab {

// Parts are joined by size: 16 of about the same size make one of the next, until a part is so large that
// rewriting it isn't worth while. So a row is rewritten at most a few times and a run of any length has some
// dozens of parts.
//
// Parts never overlap for anyone who reads the folder: the joined part and links to the others are laid out
// beside it, and the two folders change places in one atomic step.
class PartStore {
 public:
  PartStore(TraceFolder folder, TraceHeader header);
  ~PartStore();

  // Writes one part, durable on return.
  void write(const TraceBlock& block);

  // Does some milliseconds of joining parts. False when there is nothing to do.
  bool compact();

  // Whether nothing was written yet, by this run or one that it resumes.
  bool empty() const { return parts_.empty(); }

  // Joins all parts into trace.h5, marked complete, and removes them. `rest` is what no part holds; it must
  // be empty unless the store is.
  void finish(const TraceBlock& rest);

 private:
  bool choose_parts();
  bool compact_slice();
  void put_in_place();
  void abandon_compaction();

  TraceFolder folder_;
  TraceHeader header_;
  std::vector<Part> parts_;
  std::uint64_t next_number_ = 1;
  bool can_compact_ = true;  // false once the file system turned out to be unable to
  std::vector<Part> joining_;
  std::uint64_t joined_number_ = 0;
  std::unique_ptr<TraceMerge> compaction_;
  std::chrono::steady_clock::time_point
      discard_after_;  // until then the replaced parts stay beside the new ones
};

}  // namespace canvaslab
