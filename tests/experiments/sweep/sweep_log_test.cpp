// Where what a sweep tells is kept, and what it tells when the disk is full.
#include <sys/resource.h>

#include "tests/experiments/sweep/small_sweep.h"

namespace canvaslab {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class SweepLog : public SmallSweep {
 protected:
  // What all workers' own logs hold.
  std::string workers() const {
    std::string all;
    for (const auto& entry : fs::directory_iterator(path() / ".sweep"))
      if (entry.path().filename().string().starts_with("worker-")) all += text_of(entry.path());
    return all;
  }
};

TEST_F(SweepLog, ASweepAndEachCellKeepWhatConcernsThem) {
  std::ofstream(folder_ / "broken.jsonl") << "{}\n";
  for (const std::string launcher : {"basic", "local"}) {
    fs::remove_all(path());
    ASSERT_EQ(status(sweep({"task.file=null,broken.jsonl", "seed=1,2", "hydra/launcher=" + launcher,
                            "hydra.job.name='job-${hydra.job.num}'"})),
              1);
    const std::string log = text_of(path() / "canvaslab.log");
    EXPECT_THAT(log, AllOf(HasSubstr("[canvaslab][INFO] - 4 cells: " + path().string()),
                           HasSubstr("[INFO] - cell 0 finished in "),
                           HasSubstr("[ERROR] - failed: cell 3: broken.jsonl:1: "),
                           HasSubstr("2 cells failed, 0 were not run. To try them again")))
        << launcher;
    EXPECT_THAT(text_of(path() / "1/job-1.log"),
                AllOf(HasSubstr("[job-1][INFO] - cell 1, attempt 1, by process"), HasSubstr("seed=2"),
                      HasSubstr("[job-1][INFO] - finished"), Not(HasSubstr("cell 0"))));
    EXPECT_THAT(text_of(path() / "3/job-3.log"), HasSubstr("[job-3][ERROR] - failed: broken.jsonl:1: "));
    EXPECT_EQ(workers().empty(), launcher == "basic");
  }
  EXPECT_THAT(workers(), AllOf(HasSubstr("works on " + path().string()), HasSubstr("no cell is open")));
  ASSERT_EQ(status({"run", "--resume", path().string()}), 1);
  EXPECT_THAT(text_of(path() / "3/job-3.log"), HasSubstr("cell 3, attempt 2, by process"));
}

TEST_F(SweepLog, AWorkersDeathIsTold) {
  Program process = start(sweep({"seed=range(6)", "hydra/launcher=local", "hydra.launcher.workers=1",
                                 "task.samples=8", "stopping=max_steps", "sampler.steps=40"}));
  ASSERT_TRUE(soon([&] {
    const auto claim = nlohmann::json::parse(text_of(path() / "0/.cell/1.claim"), nullptr, false);
    return claim.is_object() && kill(claim["process"].get<pid_t>(), SIGKILL) == 0;
  }));
  ASSERT_EQ(process.wait(), 0) << process.messages();
  EXPECT_THAT(text_of(path() / "canvaslab.log"),
              AllOf(HasSubstr("[WARNING] - warning: worker process "), HasSubstr("signal 9 (Killed)")));
}

// A limit on the size of files stands for a full disk: small ones can be written, traces and tables not.
TEST_F(SweepLog, AFullDiskEndsASweepWithTheWayToGoOn) {
  const std::string command = fmt::format(
      "cd '{}' && ulimit -f 4 && exec '{}/canvaslab' run -m model.checkpoint=sudoku4-uniform task.samples=2 "
      "threads=1 seed=1,2 hydra.sweep.dir='{}' 2>said",
      folder_.path().string(), CANVASLAB_BUILD_DIR, path().string());
  const int status = std::system(fmt::format("bash -c \"{}\"", command).c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_THAT(text_of(folder_ / "said"),
              AllOf(HasSubstr("File too large"), HasSubstr("0 of 2 cells are finished"),
                    HasSubstr("To finish the others: canvaslab run --resume " + path().string())));
  Program again = start({"run", "--resume", path().string()});
  EXPECT_EQ(again.wait(), 0) << again.messages();
}

}  // namespace
}  // namespace canvaslab
