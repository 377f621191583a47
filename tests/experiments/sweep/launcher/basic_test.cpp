// When the launcher of one process has done its work.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "experiments/sweep/sweep_watch.h"
#include "tests/experiments/sweep/program.h"

namespace canvaslab {
namespace {

// A helper gives cell 0 back after the launcher found it held and before it counts what is left. Cell 1,
// which failed, shows the moment: its claim is a pipe, whose reader looked at cell 0 just before.
TEST(BasicLauncher, RunsACellThatBecomesOpenBetweenTwoLooks) {
  const TemporaryFolder folder;
  const StoredSweep sweep =
      StoredSweep::plan({}, {"model.checkpoint=sudoku4-uniform", "task.samples=2", "threads=1", "seed=1,2",
                             "hydra.sweep.dir=" + (folder / "sweep").string()});
  const Claim session = sweep.begin_session();
  const CellFolder first = sweep.cell(sweep.cells()[0]), second = sweep.cell(sweep.cells()[1]);
  std::optional<Claim> helper = first.take(1), failed = second.take(1);
  ASSERT_TRUE(helper && failed);
  second.fail(*failed, "for the test");
  SweepWatch watch(sweep);
  const std::filesystem::path claim = second.path() / ".cell/1.claim", kept = folder / "kept";
  const std::string text = text_of(claim);
  std::filesystem::rename(claim, kept);
  ASSERT_EQ(mkfifo(claim.c_str(), 0600), 0);
  std::thread other([&] {
    int pipe = -1;
    EXPECT_TRUE(soon([&] { return (pipe = open(claim.c_str(), O_WRONLY | O_NONBLOCK)) >= 0; }));
    std::filesystem::rename(kept, claim);
    first.give_back(*helper);
    EXPECT_EQ(write(pipe, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    close(pipe);
  });
  sweep.launcher().launch(watch);
  other.join();
  EXPECT_EQ(first.record().state, CellState::kFinished);
  EXPECT_EQ(first.record().attempts, 2);
  EXPECT_EQ(second.record().state, CellState::kFailed);
}

}  // namespace
}  // namespace canvaslab
