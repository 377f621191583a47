#include "models/gemma4/initial_weights.h"

#include <ATen/CPUGeneratorImpl.h>

#include "models/checkpoint/seed_of.h"
#include "models/checkpoint/weights.h"

namespace canvaslab {
namespace {

bool is_vector_of_ones(const std::string& name) {
  for (const char* part : {"norm", "router.scale", "per_expert_scale", "layer_scalar"})
    if (name.find(part) != std::string::npos) return true;
  return false;
}

bool is_embedding(const std::string& name) {
  return name == "model.decoder.embed_tokens.weight";
}

// The smallest vision tower that the reference builds (to_json writes its sizes): 16 channels, one layer.
std::map<std::string, Shape> placeholder_vision_weights(std::int64_t hidden) {
  std::map<std::string, Shape> shapes{
      {"model.encoder.embed_vision.embedding_projection.weight", {hidden, 16}},
      {"model.encoder.vision_tower.patch_embedder.input_proj.weight", {16, 768}},
      {"model.encoder.vision_tower.patch_embedder.position_embedding_table", {2, 16, 16}}};
  const std::string layer = "model.encoder.vision_tower.encoder.layers.0.";
  for (const char* norm : {"input_layernorm", "post_attention_layernorm", "post_feedforward_layernorm",
                           "pre_feedforward_layernorm", "self_attn.k_norm", "self_attn.q_norm"})
    shapes[layer + norm + ".weight"] = {16};
  for (const char* matrix : {"mlp.down_proj", "mlp.gate_proj", "mlp.up_proj", "self_attn.k_proj",
                             "self_attn.o_proj", "self_attn.q_proj", "self_attn.v_proj"})
    shapes[layer + matrix + ".linear.weight"] = {16, 16};
  return shapes;
}

}  // namespace

TensorMap initial_weights(const Gemma4Config& config, const InitialScale& scale, std::uint64_t seed) {
  std::map<std::string, Shape> shapes = expected_weights(config);
  if (config.source.empty()) shapes.merge(placeholder_vision_weights(config.hidden_size));
  TensorMap weights;
  for (const auto& [name, shape] : shapes) {
    if (is_vector_of_ones(name)) {
      weights[name] = at::ones(shape, at::kFloat);
      continue;
    }
    at::Generator generator = at::detail::createCPUGenerator(seed_of(name, seed));
    const double deviation = is_embedding(name) ? scale.embedding : scale.projection;
    weights[name] = at::empty(shape, at::kFloat).normal_(0, deviation, generator);
  }
  return weights;
}

bool is_trained(const std::string& name) {
  return !is_vision_weight(name) && name.find("layer_scalar") == std::string::npos;
}

bool is_decayed(const std::string& name) {
  return !is_vector_of_ones(name) && !is_embedding(name);
}

}  // namespace canvaslab
