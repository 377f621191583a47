// The trace writer: append() queues, one background thread writes.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <thread>
#include <unordered_set>

#include "core/error.h"
#include "core/trace/no_trace.h"
#include "core/trace/part_store.h"
#include "core/trace/trace_reader.h"

namespace canvaslab {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

// A row is durable one spacing and the writing of one part after append() at the latest, and that has to stay
// below a second: 0.4 s leaves 0.6 s to write a part that takes some 10 ms on an idle machine.
constexpr std::chrono::milliseconds kSpacing{400};
// Deflating takes about 25 ms a MiB. From kUrgentBytes on the next part doesn't wait for its time; at
// kMostBytes append() waits for the disk, so that what is queued can still be written in time.
constexpr size_t kUrgentBytes = size_t{4} << 20;
constexpr size_t kMostBytes = size_t{8} << 20;

// Memory that a row takes in the queue, nearly.
size_t queued_bytes(const CanvasTrace& canvas) {
  return 256 + canvas.committed.size() * (4 + canvas.steps.size() * 37);
}
size_t queued_bytes(const SampleTrace& sample) {
  return 512 + sample.prompt.size() + sample.text.size() +
         4 * (sample.prompt_tokens.size() + sample.tokens.size());
}

struct Queue {
  std::vector<CanvasTrace> canvases;
  std::vector<SampleTrace> samples;
  size_t bytes = 0;
  bool empty() const { return canvases.empty() && samples.empty(); }
  void push(CanvasTrace canvas) { canvases.push_back(std::move(canvas)); }
  void push(SampleTrace sample) { samples.push_back(std::move(sample)); }
};

void expect_length(size_t found, size_t expected, const char* what, const CanvasTrace& canvas) {
  if (found == expected) return;
  throw Error(
      fmt::format("trace of canvas {} of sample {}: {} has {} values, expected {} (the canvas length)",
                  canvas.index, canvas.sample, what, found, expected));
}

void check_step(const StepTrace& step, size_t length, const CanvasTrace& canvas) {
  const Prediction& prediction = step.prediction;
  expect_length(prediction.argmax.size(), length, "argmax", canvas);
  expect_length(prediction.sampled.size(), length, "sampled", canvas);
  expect_length(prediction.entropy.size(), length, "entropy", canvas);
  expect_length(prediction.confidence.size(), length, "confidence", canvas);
  expect_length(prediction.margin.size(), length, "margin", canvas);
  expect_length(prediction.sampled_probability.size(), length, "sampled_probability", canvas);
  expect_length(prediction.current_probability.size(), length, "current_probability", canvas);
  expect_length(step.decision.size(), length, "decision", canvas);
  expect_length(step.canvas.size(), length, "canvas", canvas);
}

class Hdf5Trace : public TraceWriter {
 public:
  Hdf5Trace(FolderLock lock, const TraceFolder& folder, const TraceHeader& header, size_t length,
            std::set<CanvasKey> canvases, std::set<std::uint64_t> samples)
      : lock_(std::move(lock)),
        level_(header.level),
        store_(folder, header),
        length_(length),
        canvases_(std::move(canvases)),
        samples_(std::move(samples)),
        thread_([this] { run(); }) {}

  ~Hdf5Trace() override { stop(/*finish=*/false); }

  void append(CanvasTrace canvas) override;
  void append(SampleTrace sample) override;
  void finish() override;

 private:
  enum class State : std::uint8_t { kOpen, kClosing, kFinishing, kClosed };

  template <class Record>
  void enqueue(Record record, std::unique_lock<std::mutex>& lock);
  void rethrow_failure() const;
  void stop(bool finish);
  void run();
  bool write_or_wait(std::unique_lock<std::mutex>& lock);
  TraceBlock block_of(const Queue& batch) const;

  FolderLock lock_;  // first in, last out
  const TraceLevel level_;
  PartStore store_;  // touched by thread_ only

  std::mutex mutex_;  // guards all below but thread_
  std::condition_variable changed_;
  Queue pending_;
  State state_ = State::kOpen;
  std::string failure_;
  size_t length_;  // L; 0 until the first canvas
  std::set<CanvasKey> canvases_;
  std::set<std::uint64_t> samples_;
  Clock::time_point next_part_ = Clock::now() + kSpacing;
  std::thread thread_;
};

void Hdf5Trace::rethrow_failure() const {
  if (!failure_.empty()) throw Error(failure_);
  if (state_ != State::kOpen) throw Error("the trace was finished already");
}

template <class Record>
void Hdf5Trace::enqueue(Record record, std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [this] { return pending_.bytes < kMostBytes || !failure_.empty(); });
  rethrow_failure();
  pending_.bytes += queued_bytes(record);
  pending_.push(std::move(record));
  changed_.notify_all();
}

void Hdf5Trace::append(CanvasTrace canvas) {
  std::unique_lock lock(mutex_);
  rethrow_failure();
  if (length_ == 0) length_ = canvas.committed.size();
  expect_length(canvas.committed.size(), length_, "committed", canvas);
  if (level_ == TraceLevel::kSteps) {
    for (const StepTrace& step : canvas.steps) check_step(step, length_, canvas);
  }
  if (!canvases_.insert({canvas.sample, canvas.index}).second) {
    throw Error(fmt::format("canvas {} of sample {} is in the trace already", canvas.index, canvas.sample));
  }
  enqueue(std::move(canvas), lock);
}

void Hdf5Trace::append(SampleTrace sample) {
  std::unique_lock lock(mutex_);
  rethrow_failure();
  if (!samples_.insert(sample.sample).second) {
    throw Error(fmt::format("sample {} is in the trace already", sample.sample));
  }
  enqueue(std::move(sample), lock);
}

void Hdf5Trace::stop(bool finish) {
  {
    const std::scoped_lock lock(mutex_);
    if (state_ == State::kOpen) state_ = finish ? State::kFinishing : State::kClosing;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void Hdf5Trace::finish() {
  {
    const std::scoped_lock lock(mutex_);
    rethrow_failure();
  }
  stop(/*finish=*/true);
  const std::scoped_lock lock(mutex_);
  if (!failure_.empty()) throw Error(failure_);
}

void Hdf5Trace::run() {
  std::unique_lock lock(mutex_);
  try {
    while (write_or_wait(lock)) {
    }
    const bool finish = state_ == State::kFinishing;
    const Queue rest = std::exchange(pending_, {});
    lock.unlock();
    if (finish) store_.finish(block_of(rest));
    lock.lock();
  } catch (const std::exception& error) {
    if (!lock.owns_lock()) lock.lock();
    failure_ = error.what();
  }
  changed_.notify_all();
}

// One turn of the thread: a part when its time has come, else a little compaction, else sleep. False at the
// end.
bool Hdf5Trace::write_or_wait(std::unique_lock<std::mutex>& lock) {
  const bool ending = state_ != State::kOpen;
  if (ending && pending_.empty()) return false;
  if (state_ == State::kFinishing && store_.empty()) return false;  // a short run needs no parts
  const bool due = ending || pending_.bytes >= kUrgentBytes || Clock::now() >= next_part_;
  if (!pending_.empty() && due) {
    const Queue batch = std::exchange(pending_, {});
    next_part_ = Clock::now() + kSpacing;
    changed_.notify_all();
    lock.unlock();
    store_.write(block_of(batch));
    lock.lock();
    return true;
  }
  lock.unlock();
  const bool compacted = store_.compact();
  lock.lock();
  if (compacted) return true;
  if (!pending_.empty() && state_ == State::kOpen) {
    changed_.wait_until(lock, next_part_,
                        [this] { return state_ != State::kOpen || pending_.bytes >= kUrgentBytes; });
  } else {
    changed_.wait(lock, [this] { return state_ != State::kOpen || !pending_.empty(); });
  }
  return true;
}

TraceBlock Hdf5Trace::block_of(const Queue& batch) const {
  TraceBlock block(level_);
  for (const CanvasTrace& canvas : batch.canvases) block.append(canvas);
  for (const SampleTrace& sample : batch.samples) block.append(sample);
  return block;
}

TraceHeader new_header(const RunInfo& run, TraceLevel level) {
  const std::time_t now = std::time(nullptr);
  return {run, level, fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now)), false};
}

// The header of the parts that a resumed run adds to.
TraceHeader resumed_header(const fs::path& part, const TraceHeader& fresh) {
  const std::scoped_lock lock(hdf5::library_mutex());
  TraceHeader header = TraceFileReader(part).header();
  if (header.run.seed != fresh.run.seed) {
    throw ConfigurationError(
        fmt::format("{} was recorded with seed {}; resuming with seed {} would mix two runs", part.string(),
                    header.run.seed, fresh.run.seed));
  }
  if (header.level != fresh.level) {
    throw ConfigurationError(
        fmt::format("{} was recorded at level '{}'; resuming at level '{}' would mix both", part.string(),
                    trace_level_name(header.level), trace_level_name(fresh.level)));
  }
  return {fresh.run, fresh.level, header.created, false};
}

// What an earlier writer that was killed left unfinished. Whoever holds the lock may remove it.
void remove_leftovers(const TraceFolder& folder) {
  remove_everything(folder.next());
  remove_everything(unfinished_path(folder.whole()));
  if (fs::exists(folder.whole())) remove_everything(folder.parts());
  if (!fs::exists(folder.parts())) return;
  for (const auto& entry : fs::directory_iterator(folder.parts())) {
    const bool unfinished = entry.path().extension() == ".unfinished";
    if (unfinished) remove_everything(entry.path());
  }
}

size_t recorded_length(const std::vector<Part>& parts) {
  const std::scoped_lock lock(hdf5::library_mutex());
  for (const Part& part : parts) {
    const size_t length = TraceFileReader(part.path).extents()[Dimension::kPosition];
    if (length > 0) return length;
  }
  return 0;
}

}  // namespace

std::unique_ptr<TraceWriter> open_trace(const fs::path& run_folder, const RunInfo& run, TraceLevel level,
                                        TraceStart start) {
  if (level == TraceLevel::kNone) return open_no_trace();
  const TraceFolder folder{run_folder};
  fs::create_directories(run_folder);
  std::optional<FolderLock> lock = FolderLock::try_lock(folder.lock());
  if (!lock) {
    throw ConfigurationError(fmt::format("{} is being written by another run ({} is locked)",
                                         run_folder.string(), folder.lock().string()));
  }
  if (start == TraceStart::kResume) remove_leftovers(folder);
  const std::vector<Part> parts = list_parts(folder.parts());
  if (fs::exists(folder.whole()) || (start == TraceStart::kFresh && !parts.empty())) {
    const char* const advice = start == TraceStart::kResume ? "a finished trace: nothing is left to resume"
                                                            : "a trace: use a new folder, or resume that run";
    throw ConfigurationError(fmt::format("{} already holds {}", run_folder.string(), advice));
  }
  TraceHeader header = new_header(run, level);
  if (!parts.empty()) header = resumed_header(parts.front().path, header);
  return std::make_unique<Hdf5Trace>(std::move(*lock), folder, header, recorded_length(parts),
                                     recorded_canvases(run_folder), recorded_samples(run_folder));
}

}  // namespace canvaslab
