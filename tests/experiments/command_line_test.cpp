// The program as a process: exit statuses, and what lies on the disk afterwards.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

class CommandLine : public testing::Test {
 protected:
  // Exit status of `canvaslab WORDS` run by a shell in the test's own folder; -1 if a signal ended it.
  int status(const std::string& words) const {
    const std::string command =
        fmt::format("cd '{}' && exec '{}/canvaslab' {}", folder_.path().string(), CANVASLAB_BUILD_DIR, words);
    const int result = std::system(fmt::format("({})", command).c_str());
    return WIFEXITED(result) && WEXITSTATUS(result) < 128 ? WEXITSTATUS(result) : -1;
  }

  std::string text(const std::string& file) const {
    std::ostringstream all;
    all << std::ifstream(folder_ / file).rdbuf();
    return all.str();
  }

  TemporaryFolder folder_;
};

const std::string kRun = "run model.checkpoint=sudoku4-uniform task.samples=2 hydra.run.dir=here ";

TEST_F(CommandLine, AnUnknownCommandIsNamedWithItsNearestSpelling) {
  EXPECT_EQ(status("rnu 2>messages"), 2);
  EXPECT_NE(text("messages").find("unknown command 'rnu'; did you mean 'run'?"), std::string::npos)
      << text("messages");
}

TEST_F(CommandLine, WhatIsRefusedLeavesNoFolder) {
  for (const char* wrong :
       {"~temperature", "sampler.suppress=[9]", "sampler.max_new_tokens=1000000", "model.checkpoint=nowhere/",
        "random=replay random.file=nowhere", "hydra.job.chdir=true", "+hydra.callbacks.x.y=1"}) {
    EXPECT_EQ(status(kRun + wrong + " 2>messages"), 2) << wrong;
    EXPECT_EQ(text("messages").rfind("error: ", 0), 0U) << text("messages");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "here")) << wrong;
  }
}

TEST_F(CommandLine, ACopyOfTheProgramRunsWithAConfigurationFolder) {
  std::filesystem::copy_file(std::filesystem::path(CANVASLAB_BUILD_DIR) / "canvaslab", folder_ / "copy");
  const std::string project = CANVASLAB_SOURCE_DIR;
  const std::string words = fmt::format(
      "run --config-dir '{0}/configs' model.checkpoint={0}/models/pretrained/sudoku4-uniform task.samples=1 "
      "hydra.run.dir=here",
      project);
  const std::string command = fmt::format("cd '{}' && ./copy ", folder_.path().string());
  EXPECT_EQ(std::system((command + words + " >/dev/null 2>&1").c_str()), 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "here/trace.h5"));
  EXPECT_EQ(WEXITSTATUS(std::system((command + "run 2>/dev/null").c_str())), 2);
}

TEST_F(CommandLine, ResultsThatCannotBeWrittenAreAFailure) {
  for (const char* words : {"compose", "list", "--help"}) {
    EXPECT_EQ(status(std::string(words) + " >/dev/full 2>messages"), 1) << words;
    EXPECT_NE(text("messages").find("could not be written"), std::string::npos) << words;
  }
}

TEST_F(CommandLine, ClosedStreamsChangeNothing) {
  EXPECT_EQ(status(kRun + "<&- >&- 2>&-"), 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "here/trace.h5"));
  EXPECT_EQ(status("run nothing=1 2>&-"), 2);
  EXPECT_EQ(status("run nothing=1 2>/dev/full"), 2);
}

}  // namespace
}  // namespace canvaslab
