// A checkpoint that was loaded and written again is the same checkpoint, tokenizer included.
#include "experiments/resave.h"

#include <gtest/gtest.h>

#include "tests/models/checkpoint/scratch_folder.h"

namespace canvaslab {
namespace {

TEST(Resave, WritesTheSameWeightsAndTokenizer) {
  const ScratchFolder scratch;
  const auto from = std::filesystem::path(CANVASLAB_SOURCE_DIR) / "models/pretrained/sudoku6-uniform";
  EXPECT_EQ(resave(from, scratch.path() / "again"), 0);
  for (const char* file : {"model.safetensors", "tokenizer.json"}) {
    EXPECT_TRUE(read_bytes(scratch.path() / "again" / file) == read_bytes(from / file)) << file;
  }
  EXPECT_EQ(resave(golden("text_fp32"), scratch.path() / "without tokenizer"), 0);
  EXPECT_FALSE(std::filesystem::exists(scratch.path() / "without tokenizer/tokenizer.json"));
  expect_error([&] { resave(from, scratch.path() / "again"); }, {"again: expected a new or an empty folder"});
}

}  // namespace
}  // namespace canvaslab
