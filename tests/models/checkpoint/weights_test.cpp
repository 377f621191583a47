// The list of weights that a configuration implies, against checkpoints that the reference wrote.
#include "models/checkpoint/weights.h"

#include <gtest/gtest.h>

#include "tests/models/checkpoint/scratch_folder.h"

namespace canvaslab {
namespace {

TEST(Weights, AreExactlyThoseThatTheReferenceStores) {
  std::vector<std::filesystem::path> folders = {golden("text_fp32"), golden("generation"),
                                                golden("text_bf16_sharded")};
  for (const char* name : {"sudoku4-uniform", "sudoku4-masked", "sudoku6-uniform"}) {
    folders.push_back(std::filesystem::path(CANVASLAB_SOURCE_DIR) / "models/pretrained" / name);
  }
  for (const auto& folder : folders) {
    std::map<std::string, Shape> stored;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string file = entry.path().filename();
      if (!file.starts_with("model") || !file.ends_with(".safetensors")) continue;
      const SafetensorsFile opened(entry.path());
      for (const auto& [name, place] : opened.header().tensors) {
        if (!is_vision_weight(name)) stored[name] = place.shape;
      }
    }
    EXPECT_EQ(expected_weights(read_gemma4_config(folder / "config.json")), stored) << folder;
  }
}

// The sizes of the published 26B-A4B model; the reference counts 25 250 986 812 parameters in 691 text
// weights.
TEST(Weights, CountTheParametersOfTheFullModel) {
  const Gemma4Config config = parse_gemma4_config(R"({"text_config": {
      "vocab_size": 262144, "hidden_size": 2816, "intermediate_size": 2112, "num_hidden_layers": 30,
      "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 256, "global_head_dim": 512,
      "num_global_key_value_heads": 2, "num_experts": 128, "top_k_experts": 8, "moe_intermediate_size": 704,
      "sliding_window": 1024}})",
                                                  "config.json");
  std::int64_t parameters = 0;
  const auto weights = expected_weights(config);
  for (const auto& [name, shape] : weights) {
    std::int64_t elements = 1;
    for (const std::int64_t size : shape) elements *= size;
    parameters += elements;
  }
  EXPECT_EQ(weights.size(), 691u);
  EXPECT_EQ(parameters, 25'250'986'812);
}

TEST(Weights, NamesOfEncoderCopies) {
  EXPECT_EQ(encoder_copy_name("model.decoder.layers.0.mlp.up_proj.weight"),
            "model.encoder.language_model.layers.0.mlp.up_proj.weight");
  EXPECT_EQ(encoder_copy_name("model.decoder.embed_tokens.weight"),
            "model.encoder.language_model.embed_tokens.weight");
  EXPECT_EQ(encoder_copy_name("model.decoder.layers.0.layer_scalar"), "");
  EXPECT_EQ(encoder_copy_name("model.decoder.self_conditioning.pre_norm.weight"), "");
  EXPECT_EQ(encoder_copy_name("lm_head.weight"), "");
}

}  // namespace
}  // namespace canvaslab
