// A sweep killed again and again: see kill_sweep.py. Sizes are cut down; the whole thing:
// CANVASLAB_KILL_SWEEP='200 20' ./lab test -R experiments_tests
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

TEST(KilledSweep, IsFinishedByResumeAndEqualsAnUninterruptedOne) {
  const TemporaryFolder folder;
  const char* const sizes = std::getenv("CANVASLAB_KILL_SWEEP");
  const std::string command = fmt::format(
      "/usr/bin/python3 '{}/tests/experiments/sweep/kill_sweep.py' '{}/canvaslab' {} '{}'",
      CANVASLAB_SOURCE_DIR, CANVASLAB_BUILD_DIR, sizes != nullptr ? sizes : "24 5", folder.path().string());
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace canvaslab
