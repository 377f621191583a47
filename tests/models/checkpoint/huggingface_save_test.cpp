// Saving checkpoint folders: what is written loads again unchanged, in one file or several, or is not there
// at all.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "models/checkpoint/huggingface.h"
#include "models/checkpoint/weights.h"
#include "tests/models/checkpoint/scratch_folder.h"

namespace canvaslab {
namespace {

void expect_equal(const TensorMap& a, const TensorMap& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, tensor] : a) {
    ASSERT_TRUE(b.contains(name)) << name;
    EXPECT_EQ(tensor.scalar_type(), b.at(name).scalar_type()) << name;
    EXPECT_TRUE(tensor.equal(b.at(name))) << name;
  }
}

size_t files_in(const std::filesystem::path& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), {});
}

TEST(SaveCheckpoint, SingleFileIsTheOneThatTheReferenceWrote) {
  const ScratchFolder scratch;
  const Checkpoint original = load_checkpoint(golden("text_fp32"));
  const auto folder = scratch.path() / "new" / "saved";
  save_checkpoint(folder, original.config, original.generation, original.tensors, R"({"version": "1.0"})");
  EXPECT_TRUE(read_bytes(folder / "model.safetensors") == read_bytes(golden("text_fp32/model.safetensors")));
  EXPECT_EQ(read_bytes(folder / "tokenizer.json"), R"({"version": "1.0"})");
  EXPECT_EQ(files_in(folder), 4u);
  EXPECT_EQ(files_in(scratch.path() / "new"), 1u);
  const Checkpoint again = load_checkpoint(folder);
  expect_equal(again.tensors, original.tensors);
  EXPECT_EQ(to_json(again.config), to_json(original.config));
  EXPECT_EQ(to_json(again.generation), to_json(original.generation));
  EXPECT_EQ(to_json(again.config)["vision_config"],
            nlohmann::ordered_json::parse(original.config.source)["vision_config"]);
}

TEST(SaveCheckpoint, SplitsIntoShards) {
  const ScratchFolder scratch;
  const Checkpoint original = load_checkpoint(golden("text_bf16_sharded"));
  std::filesystem::create_directory(scratch.path() / "empty");
  save_checkpoint(scratch.path() / "empty/", original.config, original.generation, original.tensors,
                  std::nullopt, 50'000);
  size_t shards = 0;
  std::uint64_t total = 0;
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path() / "empty")) {
    if (entry.path().extension() != ".safetensors") continue;
    const SafetensorsFile file(entry.path());
    const std::uint64_t size = std::filesystem::file_size(entry.path()) - file.header().data_offset;
    EXPECT_LE(size, 50'000u);
    total += size;
    ++shards;
  }
  EXPECT_GE(shards, 6u);
  const auto index = nlohmann::json::parse(read_bytes(scratch.path() / "empty/model.safetensors.index.json"));
  EXPECT_EQ(index["metadata"]["total_size"], total);
  expect_equal(load_checkpoint(scratch.path() / "empty").tensors, original.tensors);
  // Smaller than the largest tensor: that one has a file of its own.
  save_checkpoint(scratch.path() / "tiny", original.config, original.generation, original.tensors,
                  std::nullopt, 1);
  expect_equal(load_checkpoint(scratch.path() / "tiny").tensors, original.tensors);
}

TEST(SaveCheckpoint, UntiedModelsGetTheirHeadAndEncoderCopies) {
  const ScratchFolder scratch;
  Checkpoint original = load_checkpoint(golden("generation"));
  original.config.tie_word_embeddings = false;
  expect_error(
      [&] { save_checkpoint(scratch.path() / "x", original.config, original.generation, original.tensors); },
      {"lm_head.weight"});
  original.tensors["lm_head.weight"] = at::randn({original.config.vocab_size, original.config.hidden_size});
  save_checkpoint(scratch.path() / "x", original.config, original.generation, original.tensors);
  const auto stored = SafetensorsFile(scratch.path() / "x/model.safetensors").tensors();
  EXPECT_TRUE(stored.contains("model.encoder.language_model.embed_tokens.weight"));
  EXPECT_FALSE(stored.contains("model.encoder.language_model.self_conditioning.pre_norm.weight"));
  expect_equal(load_checkpoint(scratch.path() / "x").tensors, original.tensors);
}

TEST(SaveCheckpoint, ModelsMadeInMemoryLoadAgain) {
  const ScratchFolder scratch;
  Gemma4Config config = read_gemma4_config(golden("text_fp32/config.json"));
  config.source.clear();
  config.layers[5].head_dim = 48;
  TensorMap tensors;
  for (const auto& [name, shape] : expected_weights(config)) tensors[name] = at::ones(shape, at::kBFloat16);
  save_checkpoint(scratch.path() / "new", config, GenerationConfig{}, tensors);
  const Checkpoint again = load_checkpoint(scratch.path() / "new");
  EXPECT_EQ(again.config.layers[5].head_dim, 48);
  expect_equal(again.tensors, tensors);
}

TEST(SaveCheckpoint, NeverOverwritesAndLeavesNothingBehind) {
  const ScratchFolder scratch;
  const Checkpoint original = load_checkpoint(golden("text_fp32"));
  const auto save = [&](const std::string& name, const TensorMap& tensors) {
    save_checkpoint(scratch.path() / name, original.config, original.generation, tensors);
  };
  save("a", original.tensors);
  expect_error<ConfigurationError>([&] { save("a", original.tensors); },
                                   {"a: expected a new or an empty folder"});
  TensorMap incomplete = original.tensors;
  incomplete.erase("model.decoder.norm.weight");
  expect_error([&] { save("b", incomplete); }, {"model.decoder.norm.weight"});
  TensorMap broken = original.tensors;
  broken["model.encoder.vision_tower.x"] = at::ones({2}, at::kComplexFloat);
  expect_error([&] { save("b", broken); }, {"model.encoder.vision_tower.x"});
  EXPECT_EQ(files_in(scratch.path()), 1u);
}

}  // namespace
}  // namespace canvaslab
