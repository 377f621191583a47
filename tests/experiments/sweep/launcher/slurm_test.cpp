// The Slurm launcher on a real Slurm of one node, started for the test: see slurm_sweep.py. The sweep that
// the kills are tested with: CANVASLAB_SLURM_CELLS=200 ./lab test -R experiments_tests
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>

#include "tests/experiments/sweep/program.h"

namespace canvaslab {
namespace {

TEST(SlurmLauncher, RunsASweepOnARealSlurm) {
  const TemporaryFolder folder;
  const char* const cells = std::getenv("CANVASLAB_SLURM_CELLS");
  const std::string command = fmt::format(
      "/usr/bin/python3 '{}/tests/experiments/sweep/slurm_sweep.py' '{}/canvaslab' {} '{}' >'{}/said'",
      CANVASLAB_SOURCE_DIR, CANVASLAB_BUILD_DIR, cells != nullptr ? cells : "12", folder.path().string(),
      folder.path().string());
  const int status = std::system(command.c_str());
  const std::string said = text_of(folder / "said");
  std::fputs(said.c_str(), stdout);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << said;
  EXPECT_EQ(status, 0);
}

// Programs of Slurm's names that note how they were called.
class FakeSlurm : public testing::Test {
 protected:
  FakeSlurm() {
    std::filesystem::create_directory(folder_ / "bin");
    write("squeue", "true");
  }
  void write(const std::string& name, const std::string& body) const {
    const std::filesystem::path file = folder_ / "bin" / name;
    std::ofstream(file) << "#!/bin/sh\n" << body << "\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }
  // Exit status of a sweep of three cells, which gets SIGKILL after a minute.
  int run(const std::vector<std::string>& more, const std::string& path) {
    std::vector<std::string> words{"run",
                                   "-m",
                                   "model.checkpoint=sudoku4-uniform",
                                   "task.samples=1",
                                   "seed=1,2,3",
                                   "hydra/launcher=slurm",
                                   "hydra.launcher.poll=0.1",
                                   "hydra.sweep.dir=sweep"};
    words.insert(words.end(), more.begin(), more.end());
    const std::string before = std::getenv("PATH");
    setenv("PATH", path.c_str(), 1);
    Program process(folder_.path(), words);
    setenv("PATH", before.c_str(), 1);
    const int status = process.wait(/*seconds=*/60);
    messages_ = process.messages();
    return status;
  }
  std::string with_fakes() const { return (folder_ / "bin").string() + ":" + std::getenv("PATH"); }

  TemporaryFolder folder_;
  std::string messages_;
};

TEST_F(FakeSlurm, IsGivenEverySetting) {
  write("sbatch",
        fmt::format("printf '%s\\n' \"$@\" >'{}/given'; echo '42;cluster'", folder_.path().string()));
  EXPECT_EQ(
      run({"hydra.launcher.partition=long", "hydra.launcher.account=lab", "hydra.launcher.time=90",
           "hydra.launcher.memory=1.5", "hydra.launcher.gpus=2", "hydra.launcher.cpus=3",
           "hydra.launcher.parallel=2", "hydra.launcher.tasks=8", "hydra.launcher.options=[--exclusive]"},
          with_fakes()),
      1);  // nobody ran the cells
  const std::string given = text_of(folder_ / "given");
  for (const char* word :
       {"--partition=long\n", "--account=lab\n", "--time=90\n", "--mem=1536M\n", "--gpus=2\n",
        "--cpus-per-task=3\n", "--array=0-2%2\n", "--exclusive\n", "--requeue\n"})
    EXPECT_THAT(given, testing::HasSubstr(word));
  EXPECT_THAT(messages_, testing::HasSubstr("Slurm job 42\n"));
  EXPECT_THAT(messages_, testing::HasSubstr("3 were not run"));
}

// A site's sbatch may warn, before or after it says the job's number.
TEST_F(FakeSlurm, ThatWarnsIsUnderstood) {
  write("sbatch", "echo 'sbatch: no account given' >&2; echo 42; echo 'sbatch: queued long' >&2");
  write("squeue", fmt::format("printf '%s\\n' \"$@\" >'{}/asked'", folder_.path().string()));
  EXPECT_EQ(run({}, with_fakes()), 1);
  EXPECT_THAT(text_of(folder_ / "asked"), testing::HasSubstr("--jobs=42\n"));
  EXPECT_THAT(messages_, testing::HasSubstr("Slurm job 42\n"));
  EXPECT_THAT(messages_, testing::HasSubstr("no account given\nsbatch: queued long\n"));
}

TEST_F(FakeSlurm, ThatGivesNoJobNumberIsRefused) {
  write("sbatch", "echo 'Submitted batch job 42'");
  EXPECT_EQ(run({}, with_fakes()), 1);
  EXPECT_THAT(messages_, testing::HasSubstr("expected the job's number, found 'Submitted batch job 42'"));
}

// Slurm forgets a job after its end, and says so on stderr; a controller that is away ends nothing.
TEST_F(FakeSlurm, ThatForgotTheJobIsBelieved) {
  write("sbatch", "echo 42");
  const std::string asked = (folder_ / "asked").string();
  write("squeue", fmt::format("echo x >>'{}'; [ $(wc -l <'{}') -lt 3 ] && echo 'Unable to contact' >&2 || "
                              "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1",
                              asked, asked));
  EXPECT_EQ(run({}, with_fakes()), 1);
  EXPECT_EQ(text_of(asked), "x\nx\nx\n");
}

TEST_F(FakeSlurm, ThatRefusesIsQuoted) {
  write("sbatch", "echo 'sbatch: error: invalid partition specified: nope' >&2; exit 1");
  EXPECT_EQ(run({"hydra.launcher.partition=nope"}, with_fakes()), 1);
  EXPECT_THAT(messages_, testing::HasSubstr("invalid partition specified: nope"));
}

TEST_F(FakeSlurm, ThatIsNotThereIsMissed) {
  EXPECT_EQ(run({}, (folder_ / "empty").string()), 1);
  EXPECT_THAT(messages_, testing::HasSubstr("there is no program sbatch"));
}

}  // namespace
}  // namespace canvaslab
