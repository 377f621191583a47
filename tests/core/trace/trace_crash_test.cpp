// Runs killed at any moment: every canvas that was appended more than a second before is in a part that plain
// h5py opens, and none is there twice.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <thread>

#include "core/trace/part_store.h"
#include "core/trace/trace_reader.h"
#include "tests/core/trace/child_process.h"
#include "tests/core/trace/trace_fixture.h"

namespace canvaslab {
namespace {

namespace fs = std::filesystem;
using trace_test::check_with_h5py;
using trace_test::example_canvas;
using trace_test::example_run;
using trace_test::kill_child;
using trace_test::shared_seconds;
using trace_test::start_child;
using trace_test::TemporaryFolder;

constexpr int kLength = 16;
constexpr double kPromise = 1.0;  // seconds

// The canvases that a child says it recorded, with the time at which the call returned.
class Log {
 public:
  explicit Log(const fs::path& path)
      : descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666)) {}
  ~Log() { ::close(descriptor_); }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  void add(const CanvasKey& key) const {
    const std::string line = fmt::format("{} {} {:.6f}\n", key.first, key.second, shared_seconds());
    if (::write(descriptor_, line.data(), line.size()) < 0) std::abort();
  }
  static std::map<CanvasKey, double> read(const fs::path& path) {
    std::map<CanvasKey, double> times;
    std::ifstream file(path);
    CanvasKey key;
    double time = 0;
    while (file >> key.first >> key.second >> time) times[key] = time;
    return times;
  }

 private:
  int descriptor_;
};

CanvasKey key_of(std::uint64_t i) {
  return {i / 2, static_cast<std::uint32_t>(i % 2)};
}

// Appends canvases for ever.
int record(const fs::path& folder, int steps, int length, std::chrono::microseconds pause) {
  const Log log(folder / "log");
  const auto trace = open_trace(folder / "run", example_run(), TraceLevel::kSteps);
  for (std::uint64_t i = 0;; ++i) {
    trace->append(example_canvas(key_of(i).first, key_of(i).second, steps, length));
    log.add(key_of(i));
    std::this_thread::sleep_for(pause);
  }
}

void write_part(PartStore& store, const CanvasKey& key) {
  TraceBlock block(TraceLevel::kSteps);
  block.append(example_canvas(key.first, key.second, 3, kLength));
  store.write(block);
}

PartStore open_store(const fs::path& run) {
  fs::create_directories(run);
  return {TraceFolder{run}, TraceHeader{example_run(), TraceLevel::kSteps, "2026-01-01T00:00:00Z", false}};
}

// Writes parts as fast as it can, for ever, and joins them whenever there are enough.
int compact(const fs::path& folder) {
  const Log log(folder / "log");
  PartStore store = open_store(folder / "run");
  for (std::uint64_t i = 0;; ++i) {
    write_part(store, key_of(i));
    log.add(key_of(i));
    while (store.compact()) {
    }
  }
}

struct Run {
  fs::path folder;
  pid_t child = 0;
  double kill_at = 0;
  double killed = 0;
};

struct Life {
  size_t canvases;           // so many are recorded first
  double shortest, longest;  // then seconds until the kill
};

// Starts the children side by side, kills each when its time has come, and notes when that was.
template <class Body>
void kill_at_random(std::vector<Run>& runs, const Life& life, Body body) {
  static std::mt19937 random(std::random_device{}());
  std::uniform_real_distribution<double> seconds(life.shortest, life.longest);
  for (Run& run : runs) {
    fs::create_directories(run.folder);
    run.child = start_child([&] { return body(run.folder); });
  }
  for (Run& run : runs) {
    while (Log::read(run.folder / "log").size() < life.canvases)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    run.kill_at = shared_seconds() + seconds(random);
  }
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.kill_at < b.kill_at; });
  for (Run& run : runs) {
    std::this_thread::sleep_for(std::chrono::duration<double>(run.kill_at - shared_seconds()));
    run.killed = shared_seconds();
    kill_child(run.child);
  }
}

// `promise` seconds before the kill, everything must be there; h5py also checks every value that is.
void expect_kept(const std::vector<Run>& runs, double promise) {
  std::vector<std::string> arguments{"keys"};
  for (const Run& run : runs) arguments.push_back((run.folder / "run").string());
  std::string output;
  ASSERT_TRUE(check_with_h5py(arguments, output)) << output;
  std::map<std::string, std::set<CanvasKey>> kept;
  std::istringstream lines(output);
  std::string folder;
  CanvasKey key;
  while (lines >> folder >> key.first >> key.second) kept[folder].insert(key);

  size_t promised = 0;
  size_t lost = 0;
  double latest = 0;  // how long before the kill the last lost canvas was appended
  for (const Run& run : runs) {
    for (const auto& [recorded, time] : Log::read(run.folder / "log")) {
      const bool there = kept[(run.folder / "run").string()].contains(recorded);
      if (!there) latest = std::max(latest, run.killed - time);
      if (run.killed - time <= promise) continue;
      ++promised;
      lost += there ? 0 : 1;
    }
  }
  EXPECT_GT(promised, 0u);
  EXPECT_EQ(lost, 0u) << "of " << promised << " canvases; the oldest lost one was " << latest << " s old";
  testing::Test::RecordProperty("promised_canvases", std::to_string(promised));
  testing::Test::RecordProperty("oldest_lost_seconds", std::to_string(latest));
}

template <class Body>
void run_and_check(int rounds, int side_by_side, const Life& life, double promise, Body body) {
  const TemporaryFolder folder;
  std::vector<Run> all;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Run> runs(static_cast<size_t>(side_by_side));
    for (size_t i = 0; i < runs.size(); ++i) runs[i].folder = folder.path() / fmt::format("{}-{}", round, i);
    kill_at_random(runs, life, body);
    all.insert(all.end(), runs.begin(), runs.end());
  }
  expect_kept(all, promise);
}

TEST(TraceCrash, FiftyRunsKilledAtRandomMoments) {
  run_and_check(10, 5, {0, 0.3, 2.5}, kPromise, [](const fs::path& folder) {
    return record(folder, /*steps=*/4, kLength, std::chrono::milliseconds(5));
  });
}

TEST(TraceCrash, KeepsTheLastCanvasOfARunThatGoesQuiet) {
  run_and_check(1, 4, {1, 1.1, 1.2}, kPromise, [](const fs::path& folder) {
    return record(folder, /*steps=*/4, kLength, std::chrono::hours(1));
  });
}

TEST(TraceCrash, RunsThatWriteAllTheTimeKilledInsideAWrite) {
  run_and_check(4, 2, {0, 1.5, 2.5}, kPromise, [](const fs::path& folder) {
    return record(folder, /*steps=*/24, /*length=*/256, std::chrono::microseconds(0));
  });
}

// A part is durable when write() returns, so nothing at all may be lost.
TEST(TraceCrash, RunsKilledWhilePartsAreJoined) {
  run_and_check(6, 4, {14, 0.0, 0.4}, 0.0, compact);
}

TEST(TraceCrash, RunsKilledInFinishKeepEverythingAndResume) {
  constexpr std::uint64_t kCanvases = 12;
  std::mt19937 random(std::random_device{}());
  std::uniform_int_distribution<int> delay(0, 60000);  // microseconds
  const TemporaryFolder folder;
  int unfinished = 0;
  for (int i = 0; i < 12; ++i) {
    const fs::path run = folder.path() / std::to_string(i);
    {
      PartStore store = open_store(run);
      for (std::uint64_t canvas = 0; canvas < kCanvases; ++canvas) write_part(store, key_of(canvas));
    }
    const pid_t child = start_child([&run] {
      open_trace(run, example_run(), TraceLevel::kSteps, TraceStart::kResume)->finish();
      return 0;
    });
    std::this_thread::sleep_for(std::chrono::microseconds(delay(random)));
    kill_child(child);
    EXPECT_EQ(read_trace(run).canvases.size(), kCanvases);
    EXPECT_EQ(recorded_canvases(run).size(), kCanvases);
    if (read_trace(run).complete) continue;
    ++unfinished;
    open_trace(run, example_run(), TraceLevel::kSteps, TraceStart::kResume)->finish();
    EXPECT_TRUE(read_trace(run).complete);
    EXPECT_EQ(read_trace(run).canvases.size(), kCanvases);
  }
  EXPECT_GT(unfinished, 0);
}

TEST(TraceCrash, ReaderOfARunningRunMissesNothingAndSeesNothingTwice) {
  const TemporaryFolder folder;
  const pid_t child = start_child([&folder] { return compact(folder.path()); });
  int reads = 0;
  // Joined for the first time after 16 parts, and again a second later.
  for (std::map<CanvasKey, double> durable; durable.size() < 60;) {
    durable = Log::read(folder.path() / "log");
    if (durable.empty()) continue;
    std::set<CanvasKey> found;
    for (const CanvasTrace& canvas : read_trace(folder.path() / "run").canvases) {
      EXPECT_TRUE(found.emplace(canvas.sample, canvas.index).second);
    }
    for (const auto& [key, time] : durable) EXPECT_TRUE(found.contains(key));
    ++reads;
  }
  kill_child(child);
  const size_t parts = list_parts(TraceFolder{folder.path() / "run"}.parts()).size();
  const size_t logged = Log::read(folder.path() / "log").size();
  EXPECT_GT(reads, 2);
  // 16 parts became one; the last part may have been killed before it was logged.
  EXPECT_LE(parts + 15, logged + 1) << "no parts were joined";
}

// Replaces the folder by one of the same parts, joined and as they were in turns, more often than any run
// does.
int replace_for_ever(const TraceFolder& folder, const fs::path& joined, const fs::path& single) {
  for (int i = 0;; ++i) {
    fs::create_directory(folder.next());
    for (const Part& part : list_parts(i % 2 == 0 ? single : joined))
      link_file(part.path, folder.next() / part.path.filename());
    exchange_folders(folder.parts(), folder.next());
    remove_everything(folder.next());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

TEST(TraceCrash, ReaderSeesOneStateOfAFolderThatIsReplacedWhileItReads) {
  const TemporaryFolder folder;
  const TraceFolder run{folder.path() / "run"};
  PartStore store = open_store(run.run);
  std::set<CanvasKey> written;
  for (std::uint64_t i = 0; i < 16; ++i) {
    write_part(store, key_of(i));
    written.insert(key_of(i));
  }
  while (store.compact()) {
  }
  const fs::path joined = folder.path() / "joined";
  const fs::path single = folder.path() / "single";
  fs::copy(run.parts(), joined);
  fs::copy(run.next(), single);
  ASSERT_EQ(list_parts(joined).size(), 1u);
  ASSERT_EQ(list_parts(single).size(), 16u);
  remove_everything(run.next());
  const pid_t child = start_child([&] { return replace_for_ever(run, joined, single); });
  for (int i = 0; i < 1500; ++i) EXPECT_EQ(recorded_canvases(run.run), written);
  kill_child(child);
}

}  // namespace
}  // namespace canvaslab
