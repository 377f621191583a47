#include "models/gemma4/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "core/nearest.h"
#include "models/checkpoint/json_file.h"

namespace canvaslab {
namespace {

constexpr std::int64_t kMostLayers = 10'000;
const std::vector<std::string> kModelTypes = {"diffusion_gemma"};
const std::vector<std::string> kTextModelTypes = {"diffusion_gemma_text"};
const std::vector<std::string> kLayerTypes = {"sliding_attention", "full_attention"};
const std::vector<std::string> kDtypes = {"float32", "bfloat16", "float16"};

[[noreturn]] void refuse(const std::string& file, const std::string& key, const std::string& expected,
                         const std::string& found) {
  throw ConfigurationError(fmt::format("{}: {}: expected {}, found {}", file, key, expected, found));
}

// Another architecture's file may have every size that is asked for, and mean something else by it.
void check_model_type(const JsonFields& fields, const std::vector<std::string>& known) {
  const std::string found = fields.optional_text("model_type").value_or(known[0]);
  if (std::find(known.begin(), known.end(), found) != known.end()) return;
  fields.refuse("model_type", fmt::format("'{}'", fmt::join(known, "' or '")),
                fmt::format("'{}'{}", found, did_you_mean(found, known)));
}

void read_sizes(const JsonFields& text, Gemma4Config& config) {
  config.hidden_size = text.integer("hidden_size");
  config.intermediate_size = text.integer("intermediate_size");
  config.moe_intermediate_size = text.integer("moe_intermediate_size");
  config.num_hidden_layers = text.integer("num_hidden_layers", {1, kMostLayers});
  config.num_attention_heads = text.integer("num_attention_heads");
  config.num_key_value_heads = text.integer("num_key_value_heads");
  config.num_experts = text.integer("num_experts");
  config.top_k_experts = text.integer("top_k_experts");
  config.vocab_size = text.integer("vocab_size");
  config.head_dim = text.integer_or("head_dim", config.head_dim);
  config.sliding_window = text.integer_or("sliding_window", config.sliding_window);
  config.max_position_embeddings = text.integer_or("max_position_embeddings", config.max_position_embeddings);
  config.rms_norm_eps = text.number_or("rms_norm_eps", config.rms_norm_eps);
  if (text.find("final_logit_softcapping") != nullptr) {
    config.final_logit_softcapping = text.optional_number("final_logit_softcapping");
  }
}

void read_variants(const JsonFields& text, Gemma4Config& config) {
  config.hidden_activation = text.optional_text("hidden_activation").value_or(config.hidden_activation);
  config.attention_bias = text.boolean_or("attention_bias", false);
  const auto bidirectional = text.optional_text("use_bidirectional_attention");
  if (bidirectional && *bidirectional != "vision") {
    const bool all = *bidirectional == "all";
    text.refuse("use_bidirectional_attention", "null or \"vision\"",
                fmt::format("\"{}\"{}", *bidirectional, all ? ", which makes the encoder non-causal" : ""));
  }
}

void read_special_tokens(const JsonFields& text, Gemma4Config& config) {
  const IntegerRange ids{0, std::numeric_limits<std::int32_t>::max()};
  config.eos_token_ids =
      text.find("eos_token_id") ? text.integers("eos_token_id", ids) : std::vector<std::int64_t>{1};
  config.bos_token_id = text.find("bos_token_id") ? text.optional_integer("bos_token_id", ids) : 2;
  config.pad_token_id = text.find("pad_token_id") ? text.optional_integer("pad_token_id", ids) : 0;
}

std::vector<bool> read_layer_types(const JsonFields& text, std::int64_t count) {
  const auto names = text.optional_texts("layer_types");
  if (!names) {
    std::vector<bool> full(count);
    for (std::int64_t i = 0; i < count; ++i) full[i] = (i + 1) % 6 == 0;
    return full;
  }
  if (static_cast<std::int64_t>(names->size()) != count) {
    text.refuse("layer_types", fmt::format("{} entries (num_hidden_layers)", count),
                fmt::format("{} entries", names->size()));
  }
  std::vector<bool> full;
  for (const std::string& name : *names) {
    if (std::find(kLayerTypes.begin(), kLayerTypes.end(), name) == kLayerTypes.end()) {
      text.refuse("layer_types", "'sliding_attention' or 'full_attention' for each layer",
                  fmt::format("'{}'{}", name, did_you_mean(name, kLayerTypes)));
    }
    full.push_back(name == kLayerTypes[1]);
  }
  return full;
}

RopeConfig read_rope(const JsonFields& rope) {
  const std::vector<std::string> kinds = {"default", "proportional"};
  const std::string kind = rope.optional_text("rope_type").value_or("default");
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
    rope.refuse("rope_type", "'default' or 'proportional'",
                fmt::format("'{}'{}", kind, did_you_mean(kind, kinds)));
  }
  RopeConfig config;
  config.theta = rope.number("rope_theta");
  if (config.theta <= 0) rope.refuse("rope_theta", "a number above 0", fmt::format("{}", config.theta));
  const double partial = rope.number_or("partial_rotary_factor", 1);
  if (kind == "default") {
    if (partial != 1)
      rope.refuse("partial_rotary_factor", "1 with rope_type 'default'", fmt::format("{}", partial));
    return config;
  }
  config.kind = RopeKind::kProportional;
  config.partial_rotary_factor = partial;
  config.factor = rope.number_or("factor", 1);
  if (partial < 0 || partial > 1)
    rope.refuse("partial_rotary_factor", "a number from 0 to 1", fmt::format("{}", partial));
  if (config.factor <= 0) rope.refuse("factor", "a number above 0", fmt::format("{}", config.factor));
  return config;
}

struct RopePair {
  RopeConfig sliding;
  RopeConfig full{RopeKind::kProportional, 1'000'000, 0.25, 1};
};

RopePair read_ropes(const JsonFields& text, const std::vector<bool>& full) {
  RopePair pair;
  if (text.absent_or_null("rope_parameters")) return pair;
  const JsonFields ropes = text.object("rope_parameters");
  pair.full = read_rope(ropes.object("full_attention"));
  const bool any_sliding = std::find(full.begin(), full.end(), false) != full.end();
  if (any_sliding) pair.sliding = read_rope(ropes.object("sliding_attention"));
  return pair;
}

void read_layer_override(const JsonFields& overrides, const std::string& key, Gemma4Config& config) {
  std::int64_t index = -1;
  const auto parsed = std::from_chars(key.data(), key.data() + key.size(), index);
  if (parsed.ec != std::errc() || parsed.ptr != key.data() + key.size() || index < 0 ||
      index >= config.num_hidden_layers) {
    overrides.refuse(key, fmt::format("a layer index from 0 to {}", config.num_hidden_layers - 1),
                     "'" + key + "'");
  }
  const JsonFields layer = overrides.object(key);
  const std::vector<std::string> known = {"head_dim", "num_key_value_heads"};
  for (const auto& [name, value] : overrides.find(key)->items()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      layer.refuse(name, "only head_dim and num_key_value_heads to differ between layers",
                   fmt::format("'{}'{}", name, did_you_mean(name, known)));
    }
  }
  config.layers[index].head_dim = layer.integer_or("head_dim", config.head_dim);
  config.layers[index].kv_heads = layer.integer_or("num_key_value_heads", config.num_key_value_heads);
}

void read_layers(const JsonFields& text, Gemma4Config& config) {
  std::vector<bool> full = read_layer_types(text, config.num_hidden_layers);
  full.back() = true;  // as the reference does, whatever layer_types says
  const RopePair ropes = read_ropes(text, full);
  for (const bool is_full : full) {
    config.layers.push_back(
        {is_full, config.head_dim, config.num_key_value_heads, is_full ? ropes.full : ropes.sliding});
  }
  if (text.find("per_layer_config") != nullptr) {
    if (text.absent_or_null("per_layer_config")) return;
    const JsonFields overrides = text.object("per_layer_config");
    for (const auto& [key, value] : text.find("per_layer_config")->items())
      read_layer_override(overrides, key, config);
    return;
  }
  const std::int64_t head_dim = text.integer_or("global_head_dim", 512);
  const auto kv_heads = text.optional_integer("num_global_key_value_heads");
  for (LayerConfig& layer : config.layers) {
    if (!layer.full) continue;
    layer.head_dim = head_dim;
    layer.kv_heads = kv_heads.value_or(config.num_key_value_heads);
  }
}

// The number of elements of all text weights must stay far from the limits of a 64-bit byte count.
void check_total_size(const Gemma4Config& config, const std::string& file) {
  const double hidden = config.hidden_size;
  double total = hidden * config.vocab_size;
  for (const LayerConfig& layer : config.layers) {
    total += 2.0 * hidden * layer.head_dim * (config.num_attention_heads + layer.kv_heads);
    total +=
        3.0 * hidden * (config.intermediate_size + double(config.num_experts) * config.moe_intermediate_size);
  }
  if (total > 1e15) {
    refuse(file, "text_config", "sizes that give at most 1e15 parameters",
           fmt::format("{:.3g} parameters", total));
  }
}

}  // namespace

void check_gemma4_config(const Gemma4Config& config, const std::string& file) {
  const auto text = [&](const std::string& key, bool fine, const std::string& expected,
                        const std::string& found) {
    if (!fine) refuse(file, "text_config." + key, expected, found);
  };
  text("hidden_activation", config.hidden_activation == "gelu_pytorch_tanh", "'gelu_pytorch_tanh'",
       "'" + config.hidden_activation + "'");
  text("attention_bias", !config.attention_bias, "false (projections without biases)", "true");
  text("top_k_experts", config.top_k_experts <= config.num_experts,
       fmt::format("at most num_experts ({})", config.num_experts), std::to_string(config.top_k_experts));
  text("rms_norm_eps", config.rms_norm_eps > 0, "a number above 0", fmt::format("{}", config.rms_norm_eps));
  text("final_logit_softcapping", config.final_logit_softcapping.value_or(1) > 0, "a number above 0, or null",
       fmt::format("{}", config.final_logit_softcapping.value_or(1)));
  text("pad_token_id", config.pad_token_id.value_or(0) < config.vocab_size,
       fmt::format("an id below vocab_size ({}), or null", config.vocab_size),
       std::to_string(config.pad_token_id.value_or(0)));
  for (size_t i = 0; i < config.layers.size(); ++i) {
    const LayerConfig& layer = config.layers[i];
    text(fmt::format("num_key_value_heads (layer {})", i), config.num_attention_heads % layer.kv_heads == 0,
         fmt::format("a divisor of num_attention_heads ({})", config.num_attention_heads),
         std::to_string(layer.kv_heads));
    text(fmt::format("head_dim (layer {})", i), layer.head_dim % 2 == 0,
         "an even number (channels rotate in pairs)", std::to_string(layer.head_dim));
  }
  check_total_size(config, file);
}

Gemma4Config parse_gemma4_config(std::string_view text, const std::string& file) {
  const Json json = parse_json(text, file);
  const JsonFields top(file, "", json);
  const JsonFields text_fields = top.object("text_config");
  check_model_type(top, kModelTypes);
  check_model_type(text_fields, kTextModelTypes);
  Gemma4Config config;
  config.source = std::string(text);
  config.canvas_length = top.integer_or("canvas_length", config.canvas_length);
  config.tie_word_embeddings = top.boolean_or("tie_word_embeddings", true);
  const std::string dtype_key = top.absent_or_null("dtype") ? "torch_dtype" : "dtype";
  config.dtype = top.optional_text(dtype_key).value_or("");
  if (!config.dtype.empty() && std::find(kDtypes.begin(), kDtypes.end(), config.dtype) == kDtypes.end()) {
    top.refuse(dtype_key, "'float32', 'bfloat16' or 'float16'",
               fmt::format("'{}'{}", config.dtype, did_you_mean(config.dtype, kDtypes)));
  }
  read_sizes(text_fields, config);
  read_variants(text_fields, config);
  read_special_tokens(text_fields, config);
  read_layers(text_fields, config);
  check_gemma4_config(config, file);
  return config;
}

Gemma4Config read_gemma4_config(const std::filesystem::path& file) {
  return parse_gemma4_config(read_text_file(file), file.string());
}

}  // namespace canvaslab
