#include "models/checkpoint/weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "core/error.h"
#include "core/nearest.h"

namespace canvaslab {
namespace {

const std::string kDecoder = "model.decoder.";
const std::string kEncoder = "model.encoder.language_model.";
const std::string kEmbedding = "model.decoder.embed_tokens.weight";
const std::string kHead = "lm_head.weight";

void add_attention(const Gemma4Config& config, const LayerConfig& layer, const std::string& prefix,
                   std::map<std::string, Shape>& weights) {
  const std::int64_t queries = config.num_attention_heads * layer.head_dim,
                     keys = layer.kv_heads * layer.head_dim;
  weights[prefix + "q_proj.weight"] = {queries, config.hidden_size};
  weights[prefix + "k_proj.weight"] = {keys, config.hidden_size};
  if (!layer.full) weights[prefix + "v_proj.weight"] = {keys, config.hidden_size};
  weights[prefix + "o_proj.weight"] = {config.hidden_size, queries};
  weights[prefix + "q_norm.weight"] = {layer.head_dim};
  weights[prefix + "k_norm.weight"] = {layer.head_dim};
}

void add_gated_mlp(const Gemma4Config& config, const std::string& prefix,
                   std::map<std::string, Shape>& weights) {
  weights[prefix + "gate_proj.weight"] = {config.intermediate_size, config.hidden_size};
  weights[prefix + "up_proj.weight"] = {config.intermediate_size, config.hidden_size};
  weights[prefix + "down_proj.weight"] = {config.hidden_size, config.intermediate_size};
}

void add_layer(const Gemma4Config& config, const LayerConfig& layer, const std::string& prefix,
               std::map<std::string, Shape>& weights) {
  add_attention(config, layer, prefix + "self_attn.", weights);
  add_gated_mlp(config, prefix + "mlp.", weights);
  for (const char* norm : {"input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm",
                           "pre_feedforward_layernorm_2", "post_feedforward_layernorm",
                           "post_feedforward_layernorm_1", "post_feedforward_layernorm_2"}) {
    weights[prefix + norm + ".weight"] = {config.hidden_size};
  }
  weights[prefix + "router.proj.weight"] = {config.num_experts, config.hidden_size};
  weights[prefix + "router.scale"] = {config.hidden_size};
  weights[prefix + "router.per_expert_scale"] = {config.num_experts};
  weights[prefix + "experts.gate_up_proj"] = {config.num_experts, 2 * config.moe_intermediate_size,
                                              config.hidden_size};
  weights[prefix + "experts.down_proj"] = {config.num_experts, config.hidden_size,
                                           config.moe_intermediate_size};
  weights[prefix + "layer_scalar"] = {1};
}

std::string shape_text(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

// At most a few of the problems found, so that a wrong configuration does not print hundreds of lines.
[[noreturn]] void refuse(const std::vector<std::string>& problems) {
  constexpr size_t kShown = 5;
  const size_t shown = std::min(problems.size(), kShown);
  std::string text = fmt::format("{}", fmt::join(problems.begin(), problems.begin() + shown, "\n"));
  if (problems.size() > shown) text += fmt::format("\n... and {} more tensors", problems.size() - shown);
  throw Error(text);
}

std::vector<std::string> find_problems(const std::map<std::string, Shape>& expected,
                                       const std::map<std::string, TensorPlace>& found,
                                       const WeightCheck& check) {
  std::vector<std::string> surplus, missing, problems;
  for (const auto& [name, place] : found) {
    if (!expected.contains(name) && !is_vision_weight(name)) surplus.push_back(name);
  }
  for (const auto& [name, shape] : expected) {
    if (!found.contains(name)) missing.push_back(name);
  }
  for (const std::string& name : missing) {
    const std::string similar = nearest(name, surplus);
    problems.push_back(fmt::format("{}: {}: expected shape {}, found no such tensor{}", check.origin, name,
                                   shape_text(expected.at(name)),
                                   similar.empty() ? "" : ", but '" + similar + "'"));
  }
  for (const std::string& name : surplus) {
    problems.push_back(fmt::format("{}: {}: expected no such tensor, found one of shape {}{}",
                                   check.where(name), name, shape_text(found.at(name).shape),
                                   did_you_mean(name, missing)));
  }
  for (const auto& [name, shape] : expected) {
    const auto place = found.find(name);
    if (place == found.end()) continue;
    const at::ScalarType dtype = place->second.dtype;
    if (place->second.shape != shape) {
      problems.push_back(fmt::format("{}: {}: expected shape {}, found {}", check.where(name), name,
                                     shape_text(shape), shape_text(place->second.shape)));
    } else if (dtype != at::kFloat && dtype != at::kBFloat16 && dtype != at::kHalf) {
      problems.push_back(fmt::format("{}: {}: expected element type F32, BF16 or F16, found {}",
                                     check.where(name), name,
                                     safetensors_dtype_name(dtype).value_or(c10::toString(dtype))));
    }
  }
  return problems;
}

}  // namespace

std::map<std::string, Shape> expected_weights(const Gemma4Config& config) {
  std::map<std::string, Shape> weights;
  weights[kEmbedding] = {config.vocab_size, config.hidden_size};
  weights[kDecoder + "norm.weight"] = {config.hidden_size};
  weights[kDecoder + "self_conditioning.pre_norm.weight"] = {config.hidden_size};
  add_gated_mlp(config, kDecoder + "self_conditioning.", weights);
  for (size_t i = 0; i < config.layers.size(); ++i) {
    add_layer(config, config.layers[i], fmt::format("{}layers.{}.", kDecoder, i), weights);
    weights[fmt::format("{}layers.{}.layer_scalar", kEncoder, i)] = {1};
  }
  if (!config.tie_word_embeddings) weights[kHead] = {config.vocab_size, config.hidden_size};
  return weights;
}

bool is_vision_weight(const std::string& name) {
  return name.starts_with("model.encoder.vision_tower.") || name.starts_with("model.encoder.embed_vision.");
}

std::string encoder_copy_name(const std::string& decoder_name) {
  const bool shared = decoder_name.starts_with(kDecoder) && !decoder_name.ends_with(".layer_scalar") &&
                      !decoder_name.starts_with(kDecoder + "self_conditioning.");
  return shared ? kEncoder + decoder_name.substr(kDecoder.size()) : "";
}

void check_weights(const Gemma4Config& config, const std::map<std::string, TensorPlace>& found,
                   const WeightCheck& check) {
  const std::map<std::string, Shape> expected = expected_weights(config);
  std::map<std::string, std::string> tied;  // copy -> what it must equal
  if (config.tie_word_embeddings) tied[kHead] = kEmbedding;
  for (const auto& [name, shape] : expected) {
    if (const std::string copy = encoder_copy_name(name); !copy.empty()) tied[copy] = name;
  }
  std::map<std::string, TensorPlace> without_copies = found;
  for (const auto& [copy, name] : tied) without_copies.erase(copy);
  if (const auto problems = find_problems(expected, without_copies, check); !problems.empty())
    refuse(problems);
  for (const auto& [copy, name] : tied) {
    if (!found.contains(copy) || check.equal(copy, name)) continue;
    const std::string reason =
        copy == kHead ? "tie_word_embeddings is true" : "encoder and decoder share their weights";
    refuse({fmt::format("{}: {}: expected a copy of {} ({}), found a tensor that differs from it",
                        check.where(copy), copy, name, reason)});
  }
}

}  // namespace canvaslab
