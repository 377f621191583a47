// Starting from a checkpoint: its weights in float32, its tokenizer, and a clear error for a wrong name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/project.h"
#include "models/checkpoint/huggingface.h"
#include "tests/experiments/training/small_training.h"
#include "tests/options.h"

namespace canvaslab {
namespace {

TEST(FromCheckpoint, HasTheCheckpointsWeights) {
  const auto task = build<Task>("{name: sudoku, side: 6}");
  const ModelParts parts = build<InitialModel>("{name: checkpoint, folder: sudoku6-uniform}")->make(*task, 1);
  const Checkpoint stored = load_checkpoint(project_root() / "models" / "pretrained" / "sudoku6-uniform");
  for (const auto& [name, tensor] : stored.tensors) {
    EXPECT_EQ(parts.weights.at(name).scalar_type(), at::kFloat) << name;
    EXPECT_TRUE(parts.weights.at(name).equal(tensor.to(at::kFloat))) << name;
  }
  EXPECT_THAT(parts.tokenizer_json, ::testing::HasSubstr("<mask>"));
  EXPECT_EQ(parts.generation.max_new_tokens, 36);
}

TEST(FromCheckpoint, RefusesANameThatIsNone) {
  const auto task = build<Task>("{name: sudoku, side: 6}");
  try {
    build<InitialModel>("{name: checkpoint, folder: sudoku6-unifrom}")->make(*task, 1);
    FAIL() << "accepted";
  } catch (const ConfigurationError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("did you mean 'sudoku6-uniform'"));
  }
}

}  // namespace
}  // namespace canvaslab
