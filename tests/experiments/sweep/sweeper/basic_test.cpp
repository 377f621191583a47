#include <gtest/gtest.h>

#include "tests/experiments/sweep/sweeper/cells_of.h"

namespace canvaslab {
namespace {

TEST(BasicSweeper, RunsThroughTheGridTheLastKeyFastest) {
  EXPECT_EQ(cells_of("{name: basic}", {"a=1,2", "b=5", "c=x,y"}),
            (CellWords{
                {"a=1", "b=5", "c=x"}, {"a=1", "b=5", "c=y"}, {"a=2", "b=5", "c=x"}, {"a=2", "b=5", "c=y"}}));
}

TEST(BasicSweeper, RefusesAnIntervalAndNamesTheSweepersThatTakeOne) {
  try {
    cells_of("{name: basic}", {"a=interval(0,1)"});
    FAIL();
  } catch (const ConfigurationError& error) {
    EXPECT_NE(std::string(error.what()).find("interval"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace canvaslab
