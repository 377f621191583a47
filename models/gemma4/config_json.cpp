// Writes a backbone's configuration in the form that the reference implementation saves and loads.
#include <algorithm>

#include "models/checkpoint/json_file.h"
#include "models/gemma4/config.h"

namespace canvaslab {
namespace {

Json rope_json(const RopeConfig& rope) {
  if (rope.kind == RopeKind::kDefault) return {{"rope_type", "default"}, {"rope_theta", rope.theta}};
  Json json = {{"rope_type", "proportional"},
               {"partial_rotary_factor", rope.partial_rotary_factor},
               {"rope_theta", rope.theta}};
  if (rope.factor != 1) json["factor"] = rope.factor;
  return json;
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

void write_layers(const Gemma4Config& config, Json& text) {
  Json types = Json::array(), overrides = Json::object();
  Json ropes = text.contains("rope_parameters") && text["rope_parameters"].is_object()
                   ? text["rope_parameters"]
                   : Json::object();
  for (size_t i = 0; i < config.layers.size(); ++i) {
    const LayerConfig& layer = config.layers[i];
    types.push_back(layer.full ? "full_attention" : "sliding_attention");
    ropes[types.back().get<std::string>()] = rope_json(layer.rope);
    Json differing = Json::object();
    if (layer.head_dim != config.head_dim) differing["head_dim"] = layer.head_dim;
    if (layer.kv_heads != config.num_key_value_heads) differing["num_key_value_heads"] = layer.kv_heads;
    if (!differing.empty()) overrides[std::to_string(i)] = differing;
  }
  text["layer_types"] = types;
  text["per_layer_config"] = overrides;
  text["rope_parameters"] = ropes;
  text.erase("global_head_dim");
  text.erase("num_global_key_value_heads");
}

void write_text_config(const Gemma4Config& config, Json& text) {
  text["model_type"] = "diffusion_gemma_text";
  text["hidden_size"] = config.hidden_size;
  text["intermediate_size"] = config.intermediate_size;
  text["moe_intermediate_size"] = config.moe_intermediate_size;
  text["num_hidden_layers"] = config.num_hidden_layers;
  text["num_attention_heads"] = config.num_attention_heads;
  text["num_key_value_heads"] = config.num_key_value_heads;
  text["head_dim"] = config.head_dim;
  text["num_experts"] = config.num_experts;
  text["top_k_experts"] = config.top_k_experts;
  text["sliding_window"] = config.sliding_window;
  text["vocab_size"] = config.vocab_size;
  text["max_position_embeddings"] = config.max_position_embeddings;
  text["rms_norm_eps"] = config.rms_norm_eps;
  text["final_logit_softcapping"] = or_null(config.final_logit_softcapping);
  text["hidden_activation"] = config.hidden_activation;
  text["attention_bias"] = config.attention_bias;
  text["eos_token_id"] = config.eos_token_ids.empty()       ? Json(nullptr)
                         : config.eos_token_ids.size() == 1 ? Json(config.eos_token_ids[0])
                                                            : Json(config.eos_token_ids);
  text["bos_token_id"] = or_null(config.bos_token_id);
  text["pad_token_id"] = or_null(config.pad_token_id);
  write_layers(config, text);
}

// The smallest vision tower that the reference builds; without one it would build one of 16 layers and 768
// channels.
Json placeholder_vision_config() {
  return {{"model_type", "gemma4_vision"},
          {"hidden_size", 16},
          {"intermediate_size", 16},
          {"num_hidden_layers", 1},
          {"num_attention_heads", 1},
          {"num_key_value_heads", 1},
          {"head_dim", 16},
          {"patch_size", 16},
          {"pooling_kernel_size", 3},
          {"position_embedding_size", 16}};
}

}  // namespace

Json to_json(const Gemma4Config& config) {
  Json json = config.source.empty() ? Json::object() : parse_json(config.source, "config.json");
  if (config.source.empty()) {
    json["architectures"] = {"DiffusionGemmaForBlockDiffusion"};
    json["vision_config"] = placeholder_vision_config();
  }
  json["model_type"] = "diffusion_gemma";
  json["canvas_length"] = config.canvas_length;
  json["tie_word_embeddings"] = config.tie_word_embeddings;
  json.erase("torch_dtype");
  if (!config.dtype.empty()) json["dtype"] = config.dtype;
  write_text_config(config, json["text_config"]);
  return json;
}

}  // namespace canvaslab
