// What a user or a disk did to cells: a sweep says so, and --resume makes good what is lost.
#include "tests/experiments/sweep/small_sweep.h"

namespace canvaslab {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RepairedSweep : public SmallSweep {
 protected:
  void SetUp() override {
    ASSERT_EQ(status(sweep({"seed=1,2,3"})), 0) << messages_;
    digests_ = column("digest");
  }
  void expect_repaired(const std::string& launcher) {
    const std::string first = text_of(path() / "0/result.json");
    ASSERT_EQ(status({"run", "--resume", path().string(), "hydra/launcher=" + launcher}), 0) << messages_;
    EXPECT_THAT(column("state"), ElementsAre("finished", "finished", "finished"));
    EXPECT_EQ(column("digest"), digests_);
    EXPECT_EQ(text_of(path() / "0/result.json"), first) << "a cell that was whole ran again";
  }
  std::vector<std::string> digests_;
};

TEST_F(RepairedSweep, ADamagedResultIsThatCellsStateAlone) {
  const std::string whole = text_of(path() / "1/result.json");
  int attempts = 1;
  for (const std::string& text : {whole.substr(0, whole.size() / 2), std::string("{}")}) {
    std::ofstream(path() / "1/result.json") << text;
    EXPECT_THAT(column("state"), ElementsAre("finished", "damaged", "finished")) << text;
    EXPECT_THAT(column("error"), ElementsAre("", HasSubstr("1/result.json cannot be read: "), "")) << text;
    ASSERT_EQ(status({"sweep", path().string()}), 0);
    EXPECT_THAT(out_, HasSubstr("damaged   seed=2"));
    expect_repaired(attempts % 2 == 0 ? "local" : "basic");
    EXPECT_THAT(column("attempts"), ElementsAre("1", std::to_string(++attempts), "1"));
  }
}

TEST_F(RepairedSweep, ADeletedCellIsMissingAndRunsAgain) {
  const std::string before = text_of(path() / "1/.hydra/config.yaml");
  fs::remove_all(path() / "1");
  fs::remove_all(path() / "2/.hydra");
  fs::remove(path() / "2/result.json");
  EXPECT_THAT(column("state"), ElementsAre("finished", "missing", "missing"));
  EXPECT_THAT(column("error"), ElementsAre("", HasSubstr("sweep/1 was deleted"), HasSubstr("sweep/2")));
  expect_repaired("local");
  EXPECT_EQ(text_of(path() / "1/.hydra/config.yaml"), before);
  EXPECT_TRUE(fs::exists(path() / "1/trace.h5"));
}

TEST_F(RepairedSweep, ADeletedResultRunsAgain) {
  fs::remove(path() / "2/result.json");
  EXPECT_THAT(column("state"), ElementsAre("finished", "finished", "waiting"));
  expect_repaired("basic");
}

// The metrics of a result do not need its trace.
TEST_F(RepairedSweep, ADeletedTraceIsReportedAndTheResultStands) {
  fs::remove(path() / "1/trace.h5");
  EXPECT_THAT(column("state"), ElementsAre("finished", "finished", "finished"));
  EXPECT_THAT(column("error"), ElementsAre("", HasSubstr("1/trace.h5 was deleted"), ""));
  EXPECT_THAT(column("trace"), ElementsAre("0/trace.h5", "", "2/trace.h5"));
  expect_repaired("basic");
  EXPECT_FALSE(fs::exists(path() / "1/trace.h5"));
}

// A cell whose configuration would be another one by now is not run under the old one's name.
TEST(DeletedCells, OfChangedConfigurationsAreRefused) {
  const TemporaryFolder folder;
  const fs::path own = folder / "own/selection/mine.yaml", sweep = folder / "sweep";
  fs::create_directories(own.parent_path());
  std::ofstream(own) << "name: entropy_bound\nbound: 0.1\n";
  const std::vector<std::string> words{"run",
                                       "-m",
                                       "--config-dir",
                                       (folder / "own").string(),
                                       "model.checkpoint=sudoku4-uniform",
                                       "task.samples=1",
                                       "selection=mine",
                                       "seed=1,2",
                                       "hydra.sweep.dir=" + sweep.string()};
  Program planned(folder.path(), words);
  ASSERT_EQ(planned.wait(), 0) << planned.messages();
  fs::remove_all(sweep / "1");
  std::ofstream(own) << "name: entropy_bound\nbound: 0.2\n";
  Program changed(folder.path(), {"run", "--resume", sweep.string()});
  EXPECT_EQ(changed.wait(), 1);
  EXPECT_THAT(changed.out(), HasSubstr("the configuration files have changed"));
  std::ofstream(own) << "name: entropy_bound\nbound: 0.1\n";
  Program again(folder.path(), {"run", "--resume", sweep.string()});
  EXPECT_EQ(again.wait(), 0) << again.messages();
}

}  // namespace
}  // namespace canvaslab
