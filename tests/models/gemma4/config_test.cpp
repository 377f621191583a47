// The configuration of the backbone: both key styles, the reference's defaults, refusals, and writing it
// again.
#include "models/gemma4/config.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/models/checkpoint/scratch_folder.h"

namespace canvaslab {
namespace {

using Json = nlohmann::ordered_json;

std::string golden_text() {
  return read_bytes(golden("text_fp32/config.json"));
}

// The golden configuration after an edit of (everything, text_config).
Gemma4Config edited(const std::function<void(Json&, Json&)>& edit) {
  Json json = Json::parse(golden_text());
  edit(json, json["text_config"]);
  return parse_gemma4_config(json.dump(), "config.json");
}

void expect_refused(const std::function<void(Json&, Json&)>& edit, const std::vector<std::string>& parts) {
  expect_error<ConfigurationError>([&] { edited(edit); }, parts);
}

void expect_same(const Gemma4Config& a, const Gemma4Config& b) {
  Json x = to_json(a), y = to_json(b);
  // Written over the same source, so that only what this program knows is compared.
  EXPECT_EQ(nlohmann::json(x), nlohmann::json(y));
}

TEST(Gemma4Config, ReadsAllFields) {
  const Gemma4Config config = read_gemma4_config(golden("text_fp32/config.json"));
  EXPECT_EQ(config.hidden_size, 64);
  EXPECT_EQ(config.intermediate_size, 96);
  EXPECT_EQ(config.moe_intermediate_size, 32);
  EXPECT_EQ(config.num_hidden_layers, 6);
  EXPECT_EQ(config.num_attention_heads, 4);
  EXPECT_EQ(config.num_experts, 8);
  EXPECT_EQ(config.top_k_experts, 2);
  EXPECT_EQ(config.sliding_window, 8);
  EXPECT_EQ(config.vocab_size, 512);
  EXPECT_EQ(config.canvas_length, 16);
  EXPECT_EQ(config.max_position_embeddings, 1024);
  EXPECT_DOUBLE_EQ(config.rms_norm_eps, 1e-6);
  EXPECT_EQ(config.final_logit_softcapping, 30.0);  // the file has no such key
  EXPECT_TRUE(config.tie_word_embeddings);
  EXPECT_EQ(config.eos_token_ids, std::vector<std::int64_t>{1});
  EXPECT_EQ(config.bos_token_id, 2);
  EXPECT_EQ(config.pad_token_id, 0);
  EXPECT_EQ(config.dtype, "float32");
  ASSERT_EQ(config.layers.size(), 6u);
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(config.layers[i].full);
    EXPECT_EQ(config.layers[i].head_dim, 16);
    EXPECT_EQ(config.layers[i].kv_heads, 2);
    EXPECT_EQ(config.layers[i].rope.kind, RopeKind::kDefault);
    EXPECT_EQ(config.layers[i].rope.theta, 10'000);
  }
  EXPECT_TRUE(config.layers[5].full);
  EXPECT_EQ(config.layers[5].head_dim, 32);
  EXPECT_EQ(config.layers[5].kv_heads, 1);
  EXPECT_EQ(config.layers[5].rope.kind, RopeKind::kProportional);
  EXPECT_EQ(config.layers[5].rope.theta, 1'000'000);
  EXPECT_EQ(config.layers[5].rope.partial_rotary_factor, 0.25);
}

TEST(Gemma4Config, FlatKeysGiveTheSameModel) {
  Gemma4Config flat = read_gemma4_config(golden("text_fp32/config_flat.json"));
  flat.source = golden_text();
  expect_same(flat, read_gemma4_config(golden("text_fp32/config.json")));
}

TEST(Gemma4Config, PerLayerMapWinsOverFlatKeys) {
  const auto config = edited([](Json&, Json& text) {
    text["global_head_dim"] = 64;
    text["num_global_key_value_heads"] = 4;
  });
  EXPECT_EQ(config.layers[5].head_dim, 32);
  EXPECT_EQ(config.layers[5].kv_heads, 1);
  // Present but empty or null: no layer differs, and the flat keys' default of 512 does not come back.
  EXPECT_EQ(edited([](Json&, Json& text) { text["per_layer_config"] = nullptr; }).layers[5].head_dim, 16);
  EXPECT_EQ(edited([](Json&, Json& text) { text["per_layer_config"] = Json::object(); }).layers[5].head_dim,
            16);
  // The reference pads the indices with zeros when there are ten layers or more.
  const auto padded = edited([](Json&, Json& text) {
    text["per_layer_config"] = {{"05", {{"head_dim", 8}}}};
  });
  EXPECT_EQ(padded.layers[5].head_dim, 8);
  EXPECT_EQ(padded.layers[5].kv_heads, 2);
}

TEST(Gemma4Config, AbsentKeysHaveTheReferencesDefaults) {
  const auto config = edited([](Json& top, Json& text) {
    for (const char* key : {"layer_types", "rope_parameters", "per_layer_config", "head_dim",
                            "sliding_window", "rms_norm_eps", "hidden_activation", "bos_token_id",
                            "max_position_embeddings", "attention_bias", "use_bidirectional_attention"}) {
      text.erase(key);
    }
    text["num_hidden_layers"] = 8;
    // Last, because erasing moves what comes behind, `text` included.
    for (const char* key : {"canvas_length", "tie_word_embeddings", "dtype"}) top.erase(key);
  });
  EXPECT_EQ(config.head_dim, 256);
  EXPECT_EQ(config.sliding_window, 512);
  EXPECT_EQ(config.canvas_length, 256);
  EXPECT_EQ(config.max_position_embeddings, 131'072);
  EXPECT_EQ(config.bos_token_id, 2);
  EXPECT_TRUE(config.tie_word_embeddings);
  EXPECT_EQ(config.dtype, "");
  const std::vector<bool> full = {false, false, false, false, false, true, false, true};  // 6th, and the last
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(config.layers[i].full, full[i]) << i;
    EXPECT_EQ(config.layers[i].head_dim, full[i] ? 512 : 256) << i;
    EXPECT_EQ(config.layers[i].kv_heads, 2) << i;
    EXPECT_EQ(config.layers[i].rope.theta, full[i] ? 1e6 : 1e4) << i;
    EXPECT_EQ(config.layers[i].rope.partial_rotary_factor, full[i] ? 0.25 : 1) << i;
  }
}

TEST(Gemma4Config, LastLayerIsForcedToFull) {
  const auto config = edited([](Json&, Json& text) { text["layer_types"][5] = "sliding_attention"; });
  EXPECT_TRUE(config.layers[5].full);
}

TEST(Gemma4Config, AcceptsVariants) {
  EXPECT_NO_THROW(edited([](Json&, Json& text) { text["use_bidirectional_attention"] = "vision"; }));
  EXPECT_FALSE(
      edited([](Json&, Json& text) { text["final_logit_softcapping"] = nullptr; }).final_logit_softcapping);
  EXPECT_EQ(edited([](Json&, Json& text) { text["final_logit_softcapping"] = 12.5; }).final_logit_softcapping,
            12.5);
  EXPECT_EQ(edited([](Json&, Json& text) {
              text["eos_token_id"] = {1, 106};
            }).eos_token_ids,
            (std::vector<std::int64_t>{1, 106}));
  EXPECT_FALSE(edited([](Json&, Json& text) { text["pad_token_id"] = nullptr; }).pad_token_id);
  EXPECT_TRUE(edited([](Json&, Json& text) { text["eos_token_id"] = nullptr; }).eos_token_ids.empty());
  EXPECT_NO_THROW(edited([](Json& top, Json& text) { top["new_key"] = text["another"] = {1, 2}; }));
  EXPECT_EQ(edited([](Json&, Json& text) { text["rope_parameters"]["full_attention"]["factor"] = 8.0; })
                .layers[5]
                .rope.factor,
            8.0);
}

TEST(Gemma4Config, RefusesMissingKeysAndNamesTheNearest) {
  for (const char* key :
       {"hidden_size", "intermediate_size", "moe_intermediate_size", "num_hidden_layers",
        "num_attention_heads", "num_key_value_heads", "num_experts", "top_k_experts", "vocab_size"}) {
    expect_refused([&](Json&, Json& text) { text.erase(key); },
                   {"config.json: text_config.", key, "no such key"});
  }
  expect_refused(
      [](Json&, Json& text) {
        text["hiden_size"] = 64;
        text.erase("hidden_size");
      },
      {"text_config.hidden_size", "'hiden_size'"});
  expect_refused([](Json& top, Json&) { top.erase("text_config"); }, {"config.json: text_config"});
  expect_refused([](Json&, Json& text) { text["rope_parameters"].erase("sliding_attention"); },
                 {"text_config.rope_parameters.sliding_attention"});
  expect_refused([](Json&, Json& text) { text["rope_parameters"]["full_attention"].erase("rope_theta"); },
                 {"text_config.rope_parameters.full_attention.rope_theta"});
}

TEST(Gemma4Config, RefusesWrongTypes) {
  expect_refused([](Json&, Json& text) { text["hidden_size"] = 64.0; },
                 {"text_config.hidden_size", "integer", "64.0"});
  expect_refused([](Json&, Json& text) { text["hidden_size"] = "64"; },
                 {"text_config.hidden_size", "\"64\""});
  expect_refused([](Json&, Json& text) { text["hidden_size"] = nullptr; },
                 {"text_config.hidden_size", "null"});
  expect_refused([](Json&, Json& text) { text["num_experts"] = true; }, {"text_config.num_experts", "true"});
  expect_refused([](Json&, Json& text) { text["rms_norm_eps"] = "tiny"; },
                 {"text_config.rms_norm_eps", "tiny"});
  expect_refused([](Json&, Json& text) { text["attention_bias"] = 0; }, {"text_config.attention_bias", "0"});
  expect_refused([](Json& top, Json&) { top["tie_word_embeddings"] = "yes"; },
                 {"tie_word_embeddings", "yes"});
  expect_refused([](Json&, Json& text) { text["layer_types"] = "full_attention"; },
                 {"text_config.layer_types"});
  expect_refused(
      [](Json&, Json& text) {
        text["per_layer_config"] = {1, 2};
      },
      {"text_config.per_layer_config"});
  expect_refused([](Json& top, Json&) { top["text_config"] = 3; }, {"text_config", "an object", "3"});
  expect_refused(
      [](Json&, Json& text) {
        text["eos_token_id"] = {1, "x"};
      },
      {"text_config.eos_token_id", "\"x\""});
  expect_refused([](Json& top, Json&) { top["canvas_length"] = nullptr; }, {"canvas_length", "null"});
}

TEST(Gemma4Config, RefusesImpossibleValues) {
  for (const char* key :
       {"hidden_size", "num_experts", "top_k_experts", "head_dim", "sliding_window", "vocab_size"}) {
    expect_refused([&](Json&, Json& text) { text[key] = 0; }, {key, "found 0"});
    expect_refused([&](Json&, Json& text) { text[key] = -3; }, {key, "found -3"});
  }
  expect_refused([](Json& top, Json&) { top["canvas_length"] = 0; }, {"canvas_length", "found 0"});
  expect_refused([](Json&, Json& text) { text["num_attention_heads"] = 5; },
                 {"num_key_value_heads", "divisor", "5"});
  expect_refused([](Json&, Json& text) { text["per_layer_config"]["5"]["num_key_value_heads"] = 3; },
                 {"layer 5", "divisor", "3"});
  expect_refused([](Json&, Json& text) { text["top_k_experts"] = 9; }, {"top_k_experts", "8", "9"});
  expect_refused([](Json&, Json& text) { text["head_dim"] = 15; }, {"head_dim", "even", "15"});
  expect_refused([](Json&, Json& text) { text["layer_types"].erase(0); },
                 {"layer_types", "6 entries", "5 entries"});
  expect_refused([](Json&, Json& text) { text["layer_types"][1] = "sliding_atention"; },
                 {"layer_types", "sliding_atention", "did you mean 'sliding_attention'"});
  expect_refused(
      [](Json&, Json& text) {
        text["per_layer_config"]["6"] = {{"head_dim", 8}};
      },
      {"per_layer_config.6", "0 to 5"});
  expect_refused(
      [](Json&, Json& text) {
        text["per_layer_config"]["last"] = {{"head_dim", 8}};
      },
      {"per_layer_config.last"});
  expect_refused([](Json&, Json& text) { text["per_layer_config"]["5"]["head_dims"] = 8; },
                 {"per_layer_config.5.head_dims", "did you mean 'head_dim'"});
  expect_refused([](Json&, Json& text) { text["rms_norm_eps"] = 0; }, {"rms_norm_eps"});
  expect_refused([](Json&, Json& text) { text["final_logit_softcapping"] = 0; }, {"final_logit_softcapping"});
  expect_refused([](Json&, Json& text) { text["pad_token_id"] = 512; }, {"pad_token_id", "512"});
}

TEST(Gemma4Config, RefusesUnsupportedVariants) {
  expect_refused([](Json&, Json& text) { text["hidden_activation"] = "silu"; },
                 {"hidden_activation", "gelu_pytorch_tanh", "silu"});
  expect_refused([](Json&, Json& text) { text["attention_bias"] = true; }, {"attention_bias", "true"});
  expect_refused([](Json&, Json& text) { text["use_bidirectional_attention"] = "all"; },
                 {"use_bidirectional_attention", "all"});
  expect_refused([](Json& top, Json&) { top["dtype"] = "bfloat61"; }, {"dtype", "did you mean 'bfloat16'"});
  expect_refused([](Json&, Json& text) { text["rope_parameters"]["full_attention"]["rope_type"] = "yarn"; },
                 {"rope_parameters.full_attention.rope_type", "yarn"});
  expect_refused([](Json&, Json& text) { text["rope_parameters"]["full_attention"].erase("rope_type"); },
                 {"partial_rotary_factor"});
}

// The sizes of another architecture may look alike.
TEST(Gemma4Config, RefusesOtherModelTypes) {
  expect_refused([](Json& top, Json&) { top["model_type"] = "gemma4"; },
                 {"config.json: model_type: expected 'diffusion_gemma', found 'gemma4'"});
  expect_refused([](Json& top, Json&) { top["model_type"] = "difusion_gemma"; },
                 {"did you mean 'diffusion_gemma'"});
  expect_refused([](Json&, Json& text) { text["model_type"] = "gemma3_text"; },
                 {"text_config.model_type: expected 'diffusion_gemma_text', found 'gemma3_text'"});
  edited([](Json& top, Json& text) { text.erase("model_type"), top.erase("model_type"); });
}

TEST(Gemma4Config, RefusesAbsurdSizes) {
  expect_refused([](Json&, Json& text) { text["hidden_size"] = 1e30; }, {"hidden_size"});
  expect_refused([](Json&, Json& text) { text["vocab_size"] = 9'000'000'000'000'000'000; }, {"vocab_size"});
  expect_refused([](Json&, Json& text) { text["vocab_size"] = 18'000'000'000'000'000'000u; }, {"vocab_size"});
  expect_refused([](Json&, Json& text) { text["num_hidden_layers"] = 2'000'000'000; }, {"num_hidden_layers"});
  expect_refused(
      [](Json&, Json& text) {
        text["num_experts"] = text["moe_intermediate_size"] = text["hidden_size"] = 2'000'000'000;
      },
      {"at most 1e15 parameters"});
}

TEST(Gemma4Config, RefusesBrokenFiles) {
  const auto parse = [](const std::string& text) {
    return [text] { parse_gemma4_config(text, "config.json"); };
  };
  expect_error<ConfigurationError>(parse("{"), {"config.json", "valid JSON"});
  expect_error<ConfigurationError>(parse(""), {"config.json", "valid JSON"});
  expect_error<ConfigurationError>(parse("[]"), {"config.json", "an object"});
  const std::string twice =
      replaced(golden_text(), "\"hidden_size\": 64,", "\"hidden_size\": 64, \"hidden_size\": 32,");
  expect_error<ConfigurationError>(parse(twice), {"config.json", "'hidden_size' twice"});
  expect_error<ConfigurationError>([] { read_gemma4_config("/nonexistent/config.json"); },
                                   {"/nonexistent/config.json"});
}

TEST(Gemma4Config, WritingCarriesUnknownKeysAndReadsBackTheSame) {
  for (const char* name : {"text_fp32/config.json", "text_fp32/config_flat.json", "generation/config.json",
                           "text_bf16_sharded/config.json"}) {
    const Gemma4Config config = read_gemma4_config(golden(name));
    const Json written = to_json(config);
    EXPECT_EQ(written["vision_config"], Json::parse(config.source)["vision_config"]);
    EXPECT_EQ(written["image_token_id"], Json::parse(config.source)["image_token_id"]);
    EXPECT_FALSE(written["text_config"].contains("global_head_dim"));
    Gemma4Config again = parse_gemma4_config(written.dump(), name);
    again.source = config.source;
    expect_same(again, config);
  }
}

TEST(Gemma4Config, WritesWhatWasChangedInMemory) {
  Gemma4Config config = read_gemma4_config(golden("text_fp32/config.json"));
  config.canvas_length = 40;
  config.layers[2].head_dim = 24;
  config.layers[5].rope.factor = 4;
  config.final_logit_softcapping.reset();
  config.eos_token_ids = {1, 5};
  const Gemma4Config again = parse_gemma4_config(to_json(config).dump(), "again");
  EXPECT_EQ(again.canvas_length, 40);
  EXPECT_EQ(again.layers[2].head_dim, 24);
  EXPECT_EQ(again.layers[1].head_dim, 16);
  EXPECT_EQ(again.layers[5].rope.factor, 4);
  EXPECT_FALSE(again.final_logit_softcapping);
  EXPECT_EQ(again.eos_token_ids, (std::vector<std::int64_t>{1, 5}));
  config.source.clear();
  EXPECT_TRUE(to_json(config).contains("vision_config"));
  EXPECT_EQ(parse_gemma4_config(to_json(config).dump(), "new").layers[2].head_dim, 24);
}

}  // namespace
}  // namespace canvaslab
