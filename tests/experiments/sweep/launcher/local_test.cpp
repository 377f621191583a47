// Workers that die, and cells that kill them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/sweep/process_identity.h"
#include "tests/experiments/sweep/program.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

class LocalLauncher : public testing::Test {
 protected:
  std::filesystem::path path() const { return folder_ / "sweep"; }

  std::vector<std::string> sweep(std::vector<std::string> more) const {
    std::vector<std::string> words{"run",
                                   "-m",
                                   "model.checkpoint=sudoku4-uniform",
                                   "task.samples=8",
                                   "stopping=max_steps",
                                   "sampler.steps=40",
                                   "hydra/launcher=local",
                                   "hydra.sweep.dir=" + path().string()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  // Kills the worker that holds an attempt of a cell; false when that attempt isn't there yet.
  bool kill_worker(int cell, int attempt) const {
    const std::filesystem::path claim = path() / fmt::format("{}/.cell/{}.claim", cell, attempt);
    const auto json = nlohmann::json::parse(text_of(claim), nullptr, false);
    if (!json.is_object()) return false;
    kill(json["process"].get<pid_t>(), SIGKILL);
    return true;
  }

  TemporaryFolder folder_;
};

TEST_F(LocalLauncher, ADeadWorkersCellIsTakenAgain) {
  Program process(folder_.path(), sweep({"seed=range(6)"}));
  ASSERT_TRUE(soon([&] { return kill_worker(0, 1); }));
  EXPECT_EQ(process.wait(), 0) << process.messages();
  EXPECT_TRUE(std::filesystem::exists(path() / "0/.cell/2.claim"));
  for (int cell = 0; cell < 6; ++cell)
    EXPECT_TRUE(std::filesystem::exists(path() / fmt::format("{}/result.json", cell)));
}

// A cell that ends every worker (too large for the memory, say) must not keep the sweep busy for ever.
TEST_F(LocalLauncher, ACellThatKillsItsWorkersFails) {
  Program process(folder_.path(), sweep({"seed=range(3)", "hydra.launcher.workers=1"}));
  for (int attempt = 1; attempt <= 3; ++attempt) ASSERT_TRUE(soon([&] { return kill_worker(0, attempt); }));
  EXPECT_EQ(process.wait(), 1);
  EXPECT_THAT(process.out(), HasSubstr("3 processes died of it; the last one was ended by signal 9"));
  EXPECT_THAT(process.messages(), HasSubstr("1 cells failed, 0 were not run"));
}

TEST_F(LocalLauncher, ACellThatKillsItsWorkersStopsTheOthersWherePolicySaysSo) {
  Program process(folder_.path(),
                  sweep({"seed=range(3)", "hydra.launcher.workers=1", "hydra.launcher.on_failure=stop"}));
  for (int attempt = 1; attempt <= 3; ++attempt) ASSERT_TRUE(soon([&] { return kill_worker(0, attempt); }));
  EXPECT_EQ(process.wait(), 1);
  EXPECT_THAT(process.messages(), HasSubstr("1 cells failed, 2 were not run"));
}

TEST_F(LocalLauncher, WorkersDoNotOutliveTheirParent) {
  pid_t worker = 0;
  {
    Program process(folder_.path(), sweep({"seed=range(30)", "hydra.launcher.workers=1"}));
    ASSERT_TRUE(soon([&] { return std::filesystem::exists(path() / "0/.attempt-1/trace.lock"); }));
    worker = nlohmann::json::parse(text_of(path() / "0/.cell/1.claim"))["process"].get<pid_t>();
  }
  EXPECT_TRUE(soon([&] { return kill(worker, 0) != 0; }, 20));
}

}  // namespace
}  // namespace canvaslab
