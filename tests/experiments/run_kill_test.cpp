// The main job, killed at 50 random moments: see kill_run.py.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

TEST(RunKilled, FiftyKillsLoseNothingOlderThanASecond) {
  const TemporaryFolder folder;
  const std::string command =
      fmt::format("/usr/bin/python3 '{}/tests/experiments/kill_run.py' '{}/canvaslab' 50 '{}'",
                  CANVASLAB_SOURCE_DIR, CANVASLAB_BUILD_DIR, folder.path().string());
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace canvaslab
