// A disk that is full (a limit on the size of files stands for it) ends the run with a clear error and intact
// parts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>
#include <thread>

#include "core/error.h"
#include "core/trace/trace_folder.h"
#include "core/trace/trace_reader.h"
#include "tests/core/trace/child_process.h"
#include "tests/core/trace/trace_fixture.h"

namespace canvaslab {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using trace_test::check_with_h5py;
using trace_test::example_canvas;
using trace_test::example_run;
using trace_test::start_child;
using trace_test::TemporaryFolder;
using trace_test::wait_for;

constexpr rlim_t kMostBytes = 400 << 10;
constexpr int kLength = 16;

void limit_files(rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

void wait_for_parts(const fs::path& run, size_t count) {
  for (int i = 0; i < 500 && list_parts(TraceFolder{run}.parts()).size() < count; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// Runs the body in a process with limited files; gives the message of its Error. The process must end in good
// order.
template <class Body>
std::string error_with_limited_files(const fs::path& folder, Body body) {
  const fs::path said = folder / "said";
  const pid_t child = start_child([&] {
    limit_files(kMostBytes);
    try {
      body();
    } catch (const Error& error) {
      std::ofstream(said) << error.what();
    }
    return 0;
  });
  EXPECT_EQ(wait_for(child), 0);
  std::ifstream file(said);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(TraceDiskFull, PartThatDoesNotFitFailsTheNextCallAndKeepsEarlierParts) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  const std::string message = error_with_limited_files(folder.path(), [&run] {
    const auto trace = open_trace(run, example_run(), TraceLevel::kSteps);
    trace->append(example_canvas(0, 0, 4, kLength));
    wait_for_parts(run, 1);
    trace->append(example_canvas(1, 0, 20000, kLength));
    for (std::uint64_t sample = 2; sample < 1000; ++sample) {
      trace->append(example_canvas(sample, 0, 1, kLength));
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  });
  EXPECT_THAT(message, AllOf(HasSubstr("part-00002.h5"), HasSubstr("File too large")));
  std::string output;
  EXPECT_TRUE(check_with_h5py({"keys", run.string()}, output)) << output;
  EXPECT_EQ(output, run.string() + " 0 0\n");
  EXPECT_FALSE(fs::exists(run / "trace/.part-00002.h5.unfinished"));
}

TEST(TraceDiskFull, MergeThatDoesNotFitFailsFinishAndKeepsTheParts) {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run";
  const std::string message = error_with_limited_files(folder.path(), [&run] {
    const auto trace = open_trace(run, example_run(), TraceLevel::kSteps);
    for (std::uint64_t sample = 0; sample < 4; ++sample) {
      trace->append(example_canvas(sample, 0, 2500, kLength));
      wait_for_parts(run, sample + 1);
    }
    trace->finish();
  });
  EXPECT_THAT(message, AllOf(HasSubstr("trace.h5"), HasSubstr("File too large")));
  EXPECT_FALSE(fs::exists(run / "trace.h5"));
  std::string output;
  EXPECT_TRUE(check_with_h5py({"keys", run.string()}, output)) << output;
  EXPECT_EQ(recorded_canvases(run).size(), 4u);
  open_trace(run, example_run(), TraceLevel::kSteps, TraceStart::kResume)->finish();
  EXPECT_EQ(read_trace(run).canvases.size(), 4u);
}

}  // namespace
}  // namespace canvaslab
