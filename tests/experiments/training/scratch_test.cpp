// Starting from random weights: the sizes asked for, a seed, and a checkpoint that other programs load.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "models/checkpoint/huggingface.h"
#include "models/tokenizer/tokenizer.h"
#include "tests/experiments/training/small_training.h"
#include "tests/options.h"
#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

ModelParts made(const std::string& settings, std::uint64_t seed = 1) {
  const auto task = build<Task>("{name: sudoku, side: 4}");
  return build<InitialModel>("{name: scratch" + settings + "}")->make(*task, seed);
}

TEST(Scratch, HasTheSizesAskedFor) {
  const ModelParts parts = made(", layers: 6, full_every: 3, hidden_size: 64, experts: 5");
  EXPECT_EQ(parts.config.hidden_size, 64);
  EXPECT_EQ(parts.config.canvas_length, 16);
  EXPECT_EQ(parts.config.vocab_size, 9);  // four special tokens, four digits, the blank
  std::vector<bool> full;
  for (const LayerConfig& layer : parts.config.layers) full.push_back(layer.full);
  EXPECT_THAT(full, ::testing::ElementsAre(false, false, true, false, false, true));
  EXPECT_EQ(parts.weights.at("model.decoder.layers.0.experts.down_proj").size(0), 5);
}

TEST(Scratch, MatricesAreRandomAndNormsAreOne) {
  const ModelParts parts = made(", embedding_deviation: 0.5, projection_deviation: 0.05");
  const auto deviation = [&](const char* name) { return parts.weights.at(name).std().item<double>(); };
  EXPECT_NEAR(deviation("model.decoder.embed_tokens.weight"), 0.5, 0.05);
  EXPECT_NEAR(deviation("model.decoder.layers.0.experts.gate_up_proj"), 0.05, 0.002);
  EXPECT_TRUE((parts.weights.at("model.decoder.norm.weight") == 1).all().item<bool>());
}

TEST(Scratch, ASeedGivesTheSameWeightsWhateverElseThereIs) {
  const char* name = "model.decoder.layers.0.self_attn.q_proj.weight";
  const at::Tensor one = made("").weights.at(name);
  EXPECT_TRUE(one.equal(made("").weights.at(name)));
  EXPECT_TRUE(one.equal(made(", layers: 7, experts: 3").weights.at(name)));
  EXPECT_FALSE(one.equal(made("", 2).weights.at(name)));
}

TEST(Scratch, SavesAndLoads) {
  const TemporaryFolder folder;
  const ModelParts parts = made("");
  save_checkpoint(folder / "model", parts.config, parts.generation, parts.weights, parts.tokenizer_json);
  const Checkpoint loaded = load_checkpoint(folder / "model");
  for (const auto& [name, tensor] : parts.weights) EXPECT_TRUE(tensor.equal(loaded.tensors.at(name))) << name;
  EXPECT_THAT(Tokenizer::load(folder / "model" / "tokenizer.json").encode("1.4", true),
              ::testing::ElementsAre(2, 4, 8, 7));
}

TEST(Scratch, RefusesBadSettings) {
  for (const char* bad : {"hidden_size: 0", "layers: 0", "softcap: 0", "sliding_window: 1", "experts: -1"})
    EXPECT_NE(refusal<InitialModel>(std::string("{name: scratch, ").append(bad).append("}")), "accepted")
        << bad;
  EXPECT_THROW(made(", heads: 3"), ConfigurationError);
  EXPECT_THROW(made(", experts: 1"), ConfigurationError);  // fewer than a token goes to
}

TEST(Scratch, RefusesATaskWithoutCharactersOfItsOwn) {
  const auto task = build<Task>("{name: prompts, texts: [a]}");
  try {
    build<InitialModel>("{name: scratch}")->make(*task, 1);
    FAIL() << "accepted";
  } catch (const ConfigurationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("initial=checkpoint"));
  }
}

}  // namespace
}  // namespace canvaslab
