// The sizes and constants of a Gemma 4 mixture-of-experts diffusion backbone, as a checkpoint's config.json
// gives them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace canvaslab {

enum class RopeKind {
  kDefault,       // theta^(-2i/d) for every i < d/2
  kProportional,  // the first floor(partial * d / 2) frequencies of the above, divided by factor; the others
                  // are 0
};

struct RopeConfig {
  bool operator==(const RopeConfig&) const = default;

  RopeKind kind = RopeKind::kDefault;
  double theta = 10'000;
  double partial_rotary_factor = 1;  // share of the channels that rotate; 1 for kDefault
  double factor = 1;                 // divides the frequencies; 1 for kDefault
};

struct LayerConfig {
  bool full = false;          // full attention (no value projection of its own), else sliding
  std::int64_t head_dim = 0;  // d, channels of one head
  std::int64_t kv_heads = 0;  // key/value heads; divides num_attention_heads
  RopeConfig rope;
};

struct Gemma4Config {
  std::int64_t hidden_size = 0;            // H
  std::int64_t intermediate_size = 0;      // width of the dense MLP and of the self-conditioning MLP
  std::int64_t moe_intermediate_size = 0;  // I, width of one expert
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t num_key_value_heads = 0;  // of layers without an override; use layers[i].kv_heads
  std::int64_t head_dim = 256;           // of layers without an override; use layers[i].head_dim
  std::int64_t num_experts = 0;
  std::int64_t top_k_experts = 0;
  std::int64_t sliding_window = 512;  // W: a causal query of a sliding layer sees W keys, itself included
  std::int64_t vocab_size = 0;        // V
  std::int64_t canvas_length = 256;   // L
  std::int64_t max_position_embeddings = 131'072;
  double rms_norm_eps = 1e-6;
  std::optional<double> final_logit_softcapping = 30;  // none: logits are not capped
  std::string hidden_activation = "gelu_pytorch_tanh";
  bool attention_bias = false;
  bool tie_word_embeddings = true;  // the vocabulary projection is the embedding; else lm_head.weight
  std::vector<std::int64_t> eos_token_ids;
  std::optional<std::int64_t> bos_token_id;
  std::optional<std::int64_t> pad_token_id;
  std::string dtype;                // "float32", "bfloat16", "float16"; empty: the tensors' own
  std::vector<LayerConfig> layers;  // [num_hidden_layers]; the last one is always full

  // The text this was read from, empty for one that was made in memory. Writing it again carries over the
  // keys that this program has no use for (the vision tower's, for example).
  std::string source;
};

// Reads the text of a config.json; `file` names it in errors. Absent keys get the reference implementation's
// defaults. Both forms of per-layer overrides are read: `per_layer_config`, which wins when present, or the
// flat keys `global_head_dim` (512 when absent) and `num_global_key_value_heads` of full layers. Keys that
// are not known are left alone: other tools write them; a `model_type` that is not known is refused. Throws
// ConfigurationError naming file, key, expected and found.
Gemma4Config parse_gemma4_config(std::string_view text, const std::string& file);

// The same, of a file.
Gemma4Config read_gemma4_config(const std::filesystem::path& file);

// Refuses impossible values (see parse_gemma4_config); `file` names the origin in errors.
void check_gemma4_config(const Gemma4Config& config, const std::string& file);

// What config.json says for this configuration, with `per_layer_config`; the reference implementation loads
// it. A configuration without `source` gets a tiny vision tower, because the reference always builds one.
nlohmann::ordered_json to_json(const Gemma4Config& config);

}  // namespace canvaslab
