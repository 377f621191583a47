// Columns come back as they were written, and files that are none are refused with their name.
#include "core/trace/column_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "core/error.h"
#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

TEST(ColumnFile, GivesBackWhatWasWritten) {
  const TemporaryFolder folder;
  write_columns(folder / "x.h5", {{"b/c/deep", "nats", "the second", {0.5, std::nan("")}},
                                  {"a/first", "", "the first", {1, 2, 3}},
                                  {"b/none", "1", "empty", {}}});
  const std::vector<NumberColumn> read = read_columns(folder / "x.h5");
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[0].name, "a/first");
  EXPECT_EQ(read[0].unit, "");
  EXPECT_EQ(read[0].description, "the first");
  EXPECT_THAT(read[0].values, ::testing::ElementsAre(1, 2, 3));
  EXPECT_EQ(read[1].name, "b/c/deep");
  EXPECT_EQ(read[1].unit, "nats");
  EXPECT_THAT(read[1].values, ::testing::ElementsAre(0.5, ::testing::IsNan()));
  EXPECT_EQ(read[2].name, "b/none");
  EXPECT_TRUE(read[2].values.empty());
}

TEST(ColumnFile, RefusesWhatIsNone) {
  const TemporaryFolder folder;
  std::ofstream(folder / "text.h5") << "no HDF5";
  for (const char* name : {"text.h5", "missing.h5"}) {
    try {
      read_columns(folder / name);
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(name));
    }
  }
}

}  // namespace
}  // namespace canvaslab
