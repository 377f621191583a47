// hydra.mode, -m and both: one job or a sweep, as Hydra decides. And what --cfg shows of a stored job.
#include "experiments/run_mode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/complaint.h"
#include "tests/experiments/sweep/small_sweep.h"

namespace canvaslab {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(RunMode, IsHydrasDecision) {
  const auto sweeps = [](const std::vector<std::string>& words, bool multirun) {
    ConfigurationFlags flags;
    flags.overrides = words, flags.multirun = multirun;
    return asks_for_sweep(flags, configured_mode(flags));
  };
  EXPECT_FALSE(sweeps({}, false));
  EXPECT_TRUE(sweeps({}, true));
  EXPECT_TRUE(sweeps({"hydra.mode=MULTIRUN"}, false));
  EXPECT_TRUE(sweeps({"hydra.mode=MULTIRUN", "seed=1,2"}, false));
  EXPECT_TRUE(sweeps({"hydra.mode=MULTIRUN"}, true));
  EXPECT_FALSE(sweeps({"hydra.mode=RUN"}, false));
  EXPECT_TRUE(sweeps({"hydra.mode=RUN"}, true));
  EXPECT_THAT(complaint([&] { sweeps({"hydra.mode=MULTIRNU"}, false); }),
              HasSubstr("expected RUN or MULTIRUN, found 'MULTIRNU'; did you mean 'MULTIRUN'?"));
}

class Modes : public SmallSweep {};

TEST_F(Modes, AConfigurationMayAskForASweep) {
  ASSERT_EQ(status(run({"hydra.mode=MULTIRUN", "hydra.sweep.dir=" + path().string()}, {"seed=1,2"})), 0)
      << messages_;
  EXPECT_EQ(column("state"), std::vector<std::string>(2, "finished"));
  EXPECT_EQ(status({"train", "hydra.mode=MULTIRUN", "hydra.run.dir=trained"}), 2);
  EXPECT_THAT(messages_, HasSubstr("train does one training"));
  EXPECT_FALSE(fs::exists(folder_ / "trained"));
}

TEST_F(Modes, ASweepersTrialsAreComposed) {
  ASSERT_EQ(status({"compose", "-m", "hydra/sweeper=sobol", "hydra.sweeper.trials=5",
                    "selection.bound=interval(0.1,0.2)", "hydra.sweep.dir=" + path().string()}),
            0)
      << messages_;
  EXPECT_THAT(messages_, HasSubstr("Launching 5 jobs locally"));
  EXPECT_TRUE(fs::exists(path() / "4/.hydra/config.yaml"));
  EXPECT_EQ(status({"compose", "-m", "hydra/sweeper=random", "hydra.sweeper.trials=0", "seed=1,2",
                    "hydra.sweep.dir=" + (folder_ / "none").string()}),
            2);
  EXPECT_FALSE(fs::exists(folder_ / "none"));
}

TEST_F(Modes, CfgShowsAStoredRunsConfiguration) {
  ASSERT_EQ(status(run({"hydra.run.dir=stored"}, {"selection.bound=0.0625"})), 0) << messages_;
  const auto shown = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"run", "--resume", "stored"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(status(words), 0) << messages_;
    return out_;
  };
  EXPECT_EQ(shown({"--cfg", "job"}), text_of(folder_ / "stored/.hydra/config.yaml"));
  EXPECT_EQ(shown({"--cfg", "job", "-p", "selection.bound"}), "0.0625\n");
  EXPECT_THAT(shown({"--cfg", "hydra"}), HasSubstr("dir: stored\n"));
  EXPECT_THAT(shown({"--cfg", "all"}), AllOf(HasSubstr("hydra:\n"), HasSubstr("bound: 0.0625\n")));
  EXPECT_EQ(status({"run", "--resume", "stored", "--cfg", "job", "seed=2"}), 2);
  EXPECT_EQ(status({"run", "--resume", "stored", "--info"}), 2);
  EXPECT_EQ(status({"run", "--resume", "nowhere", "--cfg", "job"}), 2);
  EXPECT_THAT(messages_, HasSubstr("nowhere holds no run"));
  EXPECT_EQ(status({"train", "--resume", "stored", "--cfg", "job"}), 0);
}

TEST_F(Modes, CfgOfASweepNamesItsCells) {
  ASSERT_EQ(status(sweep({"seed=1,2"})), 0) << messages_;
  EXPECT_EQ(status({"run", "--resume", path().string(), "--cfg", "job"}), 2);
  EXPECT_THAT(messages_, HasSubstr("To see one: --resume " + (path() / "0").string() + " --cfg job"));
  EXPECT_EQ(status({"run", "--resume", (path() / "1").string(), "--cfg", "job", "-p", "seed"}), 0);
  EXPECT_EQ(out_, "2\n");
}

}  // namespace
}  // namespace canvaslab
