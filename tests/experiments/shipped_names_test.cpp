// The commands that take a checkpoint take a shipped one by its name, as `model.checkpoint` does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/project.h"
#include "experiments/forward.h"
#include "experiments/generate.h"
#include "experiments/resave.h"
#include "models/checkpoint/huggingface.h"
#include "tests/complaint.h"
#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

class ShippedNames : public testing::Test {
 protected:
  void SetUp() override {
    const at::Tensor prompt = at::tensor({3, 4, 5, 6}, at::kLong).view({1, 4});
    write_safetensors(folder_ / "inputs", {{"input_ids", prompt}});
  }

  // Both give the same tensors.
  void expect_same(const char* named, const char* placed) const {
    const TensorMap a = read_safetensors(folder_ / named), b = read_safetensors(folder_ / placed);
    ASSERT_EQ(a.size(), b.size());
    for (const auto& [name, tensor] : a) EXPECT_TRUE(tensor.equal(b.at(name))) << name;
  }

  const std::string folder_of_it_ = (project_root() / "models" / "pretrained" / "sudoku4-uniform").string();
  TemporaryFolder folder_;
};

TEST_F(ShippedNames, AreTakenByForward) {
  forward({.checkpoint = "sudoku4-uniform", .inputs = folder_ / "inputs", .output = folder_ / "named"});
  forward({.checkpoint = folder_of_it_, .inputs = folder_ / "inputs", .output = folder_ / "placed"});
  expect_same("named", "placed");
}

TEST_F(ShippedNames, AreTakenByGenerate) {
  for (const auto& [checkpoint, output] :
       {std::pair<std::string, const char*>{"sudoku4-uniform", "named"}, {folder_of_it_, "placed"}}) {
    generate({.checkpoint = checkpoint,
              .inputs = folder_ / "inputs",
              .output = folder_ / output,
              .location = {},
              .overrides = {"sampler.steps=2", "threads=1"}});
  }
  expect_same("named", "placed");
}

TEST_F(ShippedNames, AreTakenByResave) {
  EXPECT_EQ(resave("sudoku4-uniform", folder_ / "again"), 0);
  EXPECT_EQ(load_checkpoint(folder_ / "again").tensors.size(), load_checkpoint(folder_of_it_).tensors.size());
}

TEST_F(ShippedNames, ThatDoNotExistAreRefusedWithTheNearest) {
  const auto expect_refused = [](auto call) {
    EXPECT_THAT(complaint(call),
                HasSubstr("--checkpoint: 'sudoku4-unifrom' is neither a folder nor one of the "
                          "shipped checkpoints; did you mean 'sudoku4-uniform'?"));
  };
  expect_refused([&] { resave("sudoku4-unifrom", folder_ / "again"); });
  expect_refused([&] {
    forward({.checkpoint = "sudoku4-unifrom", .inputs = folder_ / "inputs", .output = folder_ / "o"});
  });
  expect_refused([&] {
    generate({.checkpoint = "sudoku4-unifrom",
              .inputs = folder_ / "inputs",
              .output = folder_ / "o",
              .location = {},
              .overrides = {}});
  });
}

}  // namespace
}  // namespace canvaslab
