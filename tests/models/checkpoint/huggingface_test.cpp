// Loading checkpoint folders: the golden ones load completely, and every kind of damage is refused by name.
#include "models/checkpoint/huggingface.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "models/checkpoint/weights.h"
#include "tests/models/checkpoint/scratch_folder.h"

namespace canvaslab {
namespace {

using nlohmann::ordered_json;
const std::string kFile = "model.safetensors", kIndex = "model.safetensors.index.json";
const std::string kShard2 = "model-00002-of-00004.safetensors", kShard3 = "model-00003-of-00004.safetensors";

void expect_load_refused(const std::filesystem::path& folder, const std::vector<std::string>& parts) {
  expect_error([&] { load_checkpoint(folder); }, parts);
}

// Rewrites the tensors of a single-file checkpoint after an edit.
void edit_tensors(const std::filesystem::path& file, const std::function<void(TensorMap&)>& edit) {
  TensorMap tensors = read_safetensors(file);
  edit(tensors);
  write_safetensors(file, tensors, {{"format", "pt"}});
}

void edit_json(const std::filesystem::path& file, const std::function<void(ordered_json&)>& edit) {
  ordered_json json = ordered_json::parse(read_bytes(file));
  edit(json);
  write_bytes(file, json.dump());
}

class BrokenCheckpoint : public testing::Test {
 protected:
  const ScratchFolder scratch;
  std::filesystem::path single() { return copy_checkpoint("text_fp32", scratch); }
  std::filesystem::path sharded() { return copy_checkpoint("text_bf16_sharded", scratch); }
};

TEST(LoadCheckpoint, LoadsSingleAndShardedFiles) {
  const Checkpoint single = load_checkpoint(golden("text_fp32"));
  EXPECT_EQ(single.config.hidden_size, 64);
  EXPECT_EQ(single.generation.max_new_tokens, 256);
  EXPECT_EQ(single.tensors.size(), SafetensorsFile(golden("text_fp32") / kFile).header().tensors.size());
  EXPECT_EQ(single.tensors.at("model.decoder.embed_tokens.weight").scalar_type(), at::kFloat);

  const Checkpoint sharded = load_checkpoint(golden("text_bf16_sharded"));
  const auto index = ordered_json::parse(read_bytes(golden("text_bf16_sharded") / kIndex));
  ASSERT_EQ(sharded.tensors.size(), index["weight_map"].size());
  for (const auto& [name, file] : index["weight_map"].items()) {
    const at::Tensor stored =
        SafetensorsFile(golden("text_bf16_sharded") / file.get<std::string>()).tensor(name);
    EXPECT_TRUE(sharded.tensors.at(name).equal(stored)) << name;
  }
}

TEST(LoadCheckpoint, LoadsFlatKeysAndPretrainedModels) {
  const ScratchFolder scratch;
  const auto folder = copy_checkpoint("text_fp32", scratch);
  std::filesystem::remove(folder / "config.json");
  std::filesystem::copy_file(golden("text_fp32/config_flat.json"), folder / "config.json");
  EXPECT_EQ(load_checkpoint(folder / "").config.layers[5].head_dim, 32);
  const auto pretrained = std::filesystem::path(CANVASLAB_SOURCE_DIR) / "models/pretrained/sudoku6-uniform";
  EXPECT_EQ(load_checkpoint(pretrained).config.canvas_length, 36);
}

TEST_F(BrokenCheckpoint, RefusesFoldersThatAreNone) {
  const auto folder = single();
  std::filesystem::create_directory(scratch.path() / "empty");
  const auto refused = [](const std::filesystem::path& path, const std::vector<std::string>& parts) {
    expect_error<ConfigurationError>([&] { load_checkpoint(path); }, parts);
  };
  refused(scratch.path() / "text_fp23", {"text_fp23", "did you mean 'text_fp32'"});
  refused(scratch.path() / "text_fp23/", {"did you mean 'text_fp32'"});
  refused(scratch.path() / "empty", {"empty folder"});
  refused(folder / "config.json", {"found a file"});
  std::filesystem::rename(folder / "config.json", folder / "confg.json");
  refused(folder, {"no config.json", "did you mean 'confg.json'"});
}

TEST_F(BrokenCheckpoint, RefusesMissingWeightFiles) {
  const auto folder = single();
  std::filesystem::rename(folder / kFile, folder / "model.safetensor");
  expect_load_refused(folder, {kFile, "neither", "did you mean 'model.safetensor'"});
  const auto shards = sharded();
  std::filesystem::remove(shards / kIndex);
  expect_load_refused(shards, {"the index is missing"});
}

TEST_F(BrokenCheckpoint, RefusesAnIndexThatDisagrees) {
  const auto folder = sharded();
  const std::string index = read_bytes(folder / kIndex);
  const auto refused = [&](const std::vector<std::string>& parts) {
    expect_load_refused(folder, parts);
    write_bytes(folder / kIndex, index);
  };
  std::filesystem::rename(folder / kShard2, folder / "aside");
  refused({kIndex, "index and files disagree", kShard2, "model.decoder.layers.0."});
  std::filesystem::rename(folder / "aside", folder / kShard2);
  edit_json(folder / kIndex, [](auto& json) { json["weight_map"].erase("model.decoder.norm.weight"); });
  refused({"index and files disagree", "model.decoder.norm.weight", "index lacks it"});
  edit_json(folder / kIndex, [](auto& json) { json["weight_map"]["model.extra"] = kShard2; });
  refused({"index and files disagree", "model.extra", kShard2});
  edit_json(folder / kIndex, [](auto& json) { json["weight_map"]["model.decoder.norm.weight"] = kShard2; });
  refused({"index and files disagree", "model.decoder.norm.weight", kShard2});
  edit_json(folder / kIndex,
            [](auto& json) { json["weight_map"]["model.decoder.norm.weight"] = "../x.safetensors"; });
  refused({kIndex, "model.decoder.norm.weight", "../x.safetensors"});
  edit_json(folder / kIndex, [](auto& json) { json["weight_map"] = 3; });
  refused({kIndex, "weight_map", "an object"});
  write_bytes(folder / kIndex, "{");
  refused({kIndex, "valid JSON"});
  std::filesystem::copy_file(folder / kShard2, folder / "model-00005-of-00005.safetensors");
  refused({"index and files disagree", "model-00005-of-00005.safetensors"});
  std::filesystem::remove(folder / "model-00005-of-00005.safetensors");
  EXPECT_NO_THROW(load_checkpoint(folder));
}

TEST_F(BrokenCheckpoint, RefusesAStaleIndexBesideASingleFile) {
  const auto folder = single();
  std::filesystem::copy_file(golden("text_bf16_sharded") / kIndex, folder / kIndex);
  expect_load_refused(folder, {kIndex, "index and files disagree"});
  for (int i = 1; i <= 4; ++i) {
    const std::string shard = "model-0000" + std::to_string(i) + "-of-00004.safetensors";
    std::filesystem::copy_file(golden("text_bf16_sharded") / shard, folder / shard);
  }
  expect_load_refused(folder, {kIndex, "index and files disagree", kFile});
  std::filesystem::remove(folder / kIndex);
  expect_load_refused(folder, {"index and files disagree", "model-00001-of-00004.safetensors"});
}

TEST_F(BrokenCheckpoint, RefusesMissingSurplusAndMisshapenTensors) {
  const auto folder = single();
  const std::string original = read_bytes(folder / kFile);
  const auto refused = [&](const std::function<void(TensorMap&)>& edit,
                           const std::vector<std::string>& parts) {
    edit_tensors(folder / kFile, edit);
    expect_load_refused(folder, parts);
    write_bytes(folder / kFile, original);
  };
  const std::string norm = "model.decoder.norm.weight", q = "model.decoder.layers.5.self_attn.q_proj.weight";
  refused([&](TensorMap& t) { t.erase(norm); }, {norm, "expected shape [64]", "no such tensor"});
  refused([&](TensorMap& t) { t["model.decoder.norm.wieght"] = t.extract(norm).mapped(); },
          {norm, "'model.decoder.norm.wieght'", kFile});
  refused(
      [&](TensorMap& t) {
        t["model.decoder.layers.5.self_attn.v_proj.weight"] = at::zeros({32, 64});
      },
      {kFile, "layers.5.self_attn.v_proj.weight", "expected no such tensor", "[32, 64]"});
  refused([&](TensorMap& t) { t["model.decoder.layers.6.layer_scalar"] = at::ones({1}); },
          {"layers.6.layer_scalar"});
  refused([&](TensorMap& t) { t[q] = t[q].t(); }, {kFile, q, "[128, 64]", "[64, 128]"});
  refused([&](TensorMap& t) { t["model.decoder.layers.0.layer_scalar"] = at::scalar_tensor(1.0f); },
          {"layers.0.layer_scalar", "expected shape [1]", "found []"});
  refused([&](TensorMap& t) { t["model.encoder.language_model.layers.3.layer_scalar"] = at::ones({2}); },
          {"model.encoder.language_model.layers.3.layer_scalar", "[2]"});
  refused([&](TensorMap& t) { t[q] = t[q].to(at::kDouble); }, {kFile, q, "F32, BF16 or F16", "F64"});
  refused([](TensorMap& t) { t.clear(); }, {"expected shape", "more tensors"});
}

TEST_F(BrokenCheckpoint, RefusesAConfigurationOfAnotherModel) {
  const auto folder = single();
  edit_json(folder / "config.json", [](auto& json) { json["text_config"]["num_experts"] = 6; });
  expect_load_refused(folder, {"router.per_expert_scale", "expected shape [6]", "found [8]"});
}

TEST_F(BrokenCheckpoint, RefusesDamagedFiles) {
  const auto folder = single();
  const std::string original = read_bytes(folder / kFile);
  write_bytes(folder / kFile, original.substr(0, original.size() - 4));
  expect_load_refused(folder, {kFile, "position_embedding_table"});
  write_bytes(folder / kFile, original + "x");
  expect_load_refused(folder, {kFile, "fill"});
  write_bytes(folder / kFile,
              replaced(original, "\"data_offsets\":[0,131072]", "\"data_offsets\":[4,131072]"));
  expect_load_refused(folder, {kFile, "model.decoder.embed_tokens.weight", "131072 bytes", "[4, 131072]"});
  write_bytes(folder / kFile, replaced(original, "\"dtype\":\"F32\"", "\"dtype\":\"F23\""));
  expect_load_refused(folder, {kFile, "model.decoder.embed_tokens.weight", "F23"});
  write_bytes(folder / kFile, "version https://example.invalid/lfs pointer\n");
  expect_load_refused(folder, {kFile, "header"});
}

TEST_F(BrokenCheckpoint, TieFlagAndSeparateHead) {
  const auto folder = single();
  const std::string embedding = "model.decoder.embed_tokens.weight";
  const auto set_tie = [&](bool tie) {
    edit_json(folder / "config.json", [&](auto& json) { json["tie_word_embeddings"] = tie; });
  };
  set_tie(false);
  expect_load_refused(folder, {"lm_head.weight", "expected shape [512, 64]", "no such tensor"});
  edit_tensors(folder / kFile, [&](TensorMap& t) { t["lm_head.weight"] = t[embedding].clone(); });
  EXPECT_TRUE(load_checkpoint(folder).tensors.contains("lm_head.weight"));
  set_tie(true);
  EXPECT_FALSE(load_checkpoint(folder).tensors.contains("lm_head.weight"));
  edit_tensors(folder / kFile, [&](TensorMap& t) { t["lm_head.weight"][511][63] += 1; });
  expect_load_refused(folder, {kFile, "lm_head.weight", "tie_word_embeddings is true", "differs"});
  set_tie(false);
  EXPECT_FALSE(load_checkpoint(folder)
                   .tensors.at("lm_head.weight")
                   .equal(load_checkpoint(folder).tensors.at(embedding)));
}

TEST_F(BrokenCheckpoint, EncoderCopiesMustEqualTheDecoder) {
  const auto folder = single();
  const std::string copy = "model.encoder.language_model.layers.2.mlp.up_proj.weight";
  edit_tensors(folder / kFile,
               [&](TensorMap& t) { t[copy] = t["model.decoder.layers.2.mlp.up_proj.weight"].clone(); });
  EXPECT_FALSE(load_checkpoint(folder).tensors.contains(copy));
  edit_tensors(folder / kFile, [&](TensorMap& t) { t[copy][0][0] += 1; });
  expect_load_refused(folder, {kFile, copy, "share their weights"});
}

TEST_F(BrokenCheckpoint, LoadsWeightsThatAreNotFiniteAndFoldersWithoutGenerationConfig) {
  const auto folder = single();
  edit_tensors(folder / kFile, [](TensorMap& t) { t["model.decoder.norm.weight"].fill_(INFINITY); });
  std::filesystem::remove(folder / "generation_config.json");
  const Checkpoint checkpoint = load_checkpoint(folder);
  EXPECT_EQ(checkpoint.generation.max_denoising_steps, 48);
  EXPECT_TRUE(checkpoint.generation.eos_token_ids.empty());
  write_bytes(folder / "generation_config.json", R"({"t_max": "hot"})");
  expect_load_refused(folder, {"generation_config.json: t_max", "hot"});
}

}  // namespace
}  // namespace canvaslab
