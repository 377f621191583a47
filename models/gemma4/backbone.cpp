#include "models/gemma4/backbone.h"

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"

namespace canvaslab::gemma4 {
namespace {

LayerWeights load_layer(const WeightSource& weight, int index, bool full) {
  const std::string at = fmt::format("model.decoder.layers.{}.", index);
  const auto projection = [&](const char* name) { return weight.projection(at + name); };
  LayerWeights layer;
  layer.attention = {.query = projection("self_attn.q_proj"),
                     .key = projection("self_attn.k_proj"),
                     .value = full ? Projection{} : projection("self_attn.v_proj"),
                     .output = projection("self_attn.o_proj"),
                     .query_norm = weight(at + "self_attn.q_norm.weight"),
                     .key_norm = weight(at + "self_attn.k_norm.weight")};
  layer.mlp = {.gate = projection("mlp.gate_proj"),
               .up = projection("mlp.up_proj"),
               .down = projection("mlp.down_proj")};
  layer.router = {.scale = weight(at + "router.scale"),
                  .projection = weight(at + "router.proj.weight"),
                  .per_expert_scale = weight(at + "router.per_expert_scale")};
  layer.experts = {.gate_up = weight(at + "experts.gate_up_proj"),
                   .down = weight(at + "experts.down_proj"),
                   .gate_up_update = weight.update(at + "experts.gate_up_proj"),
                   .down_update = weight.update(at + "experts.down_proj")};
  layer.input_norm = weight(at + "input_layernorm.weight");
  layer.post_attention_norm = weight(at + "post_attention_layernorm.weight");
  layer.pre_mlp_norm = weight(at + "pre_feedforward_layernorm.weight");
  layer.post_mlp_norm = weight(at + "post_feedforward_layernorm_1.weight");
  layer.pre_experts_norm = weight(at + "pre_feedforward_layernorm_2.weight");
  layer.post_experts_norm = weight(at + "post_feedforward_layernorm_2.weight");
  layer.post_feed_forward_norm = weight(at + "post_feedforward_layernorm.weight");
  layer.denoise_scalar = weight(at + "layer_scalar");
  layer.prefill_scalar = weight(fmt::format("model.encoder.language_model.layers.{}.layer_scalar", index));
  return layer;
}

// Layers of a kind share their rotation table; the first of them makes it.
int first_with_same_rope(const Gemma4Config& config, int index) {
  for (int i = 0; i < index; ++i) {
    if (config.layers[i].head_dim == config.layers[index].head_dim &&
        config.layers[i].rope == config.layers[index].rope)
      return i;
  }
  return index;
}

at::Tensor positions_of(std::span<const Segment> segments, at::Device device) {
  std::vector<at::Tensor> parts;
  for (const Segment& segment : segments) {
    const int64_t first = segment.cache->next_position();
    parts.push_back(at::arange(first, first + segment.length, at::kLong));
  }
  return at::cat(parts).to(device);
}

}  // namespace

Backbone::Backbone(const Gemma4Config& config, const WeightSource& weight) : config_(config) {
  embedding_ = weight("model.decoder.embed_tokens.weight");
  final_norm_ = weight("model.decoder.norm.weight");
  // A bfloat16 model multiplies by the scale rounded to bfloat16 (sqrt(48) becomes 6.9375).
  embedding_scale_ =
      at::scalar_tensor(std::sqrt(static_cast<double>(config.hidden_size)), embedding_.scalar_type())
          .item<double>();
  for (int i = 0; i < config.num_hidden_layers; ++i)
    layers_.push_back(load_layer(weight, i, config.layers[i].full));
}

at::Tensor Backbone::embed(const at::Tensor& tokens) const {
  return embedding_.index_select(0, tokens) * embedding_scale_;
}

at::Tensor Backbone::layer_forward(int index, const at::Tensor& input, std::span<const Segment> segments,
                                   Mode mode, CanvasWindow window, const RopeTable& rope,
                                   LayerObserver* observer) const {
  const LayerWeights& layer = layers_[index];
  const double epsilon = config_.rms_norm_eps;
  const auto norm = [epsilon](const at::Tensor& x, const at::Tensor& w) { return rms_norm(x, w, epsilon); };
  const AttentionContext context{config_, config_.layers[index], index, mode, window, rope, segments};
  const at::Tensor attended = attention(layer.attention, norm(input, layer.input_norm), context);
  const at::Tensor x = input + norm(attended, layer.post_attention_norm);

  const at::Tensor dense = norm(layer.mlp(norm(x, layer.pre_mlp_norm)), layer.post_mlp_norm);
  const Routing routing = route(layer.router, x, config_.top_k_experts, epsilon);
  if (observer != nullptr) observer->routing(index, routing);
  const at::Tensor sparse =
      norm(mixture(layer.experts, routing, norm(x, layer.pre_experts_norm)), layer.post_experts_norm);
  return (x + norm(dense + sparse, layer.post_feed_forward_norm)) *
         (mode == Mode::kPrefill ? layer.prefill_scalar : layer.denoise_scalar);
}

at::Tensor Backbone::forward(at::Tensor x, std::span<const Segment> segments, Mode mode, CanvasWindow window,
                             LayerObserver* observer) const {
  const at::Tensor positions = positions_of(segments, device());
  std::vector<RopeTable> ropes;
  if (observer != nullptr) observer->hidden(0, x);
  for (int i = 0; i < config_.num_hidden_layers; ++i) {
    const int twin = first_with_same_rope(config_, i);
    ropes.push_back(twin < i ? ropes[twin] : rope_table(config_.layers[i], positions, x.scalar_type()));
    x = layer_forward(i, x, segments, mode, window, ropes[i], observer);
    if (observer != nullptr) observer->hidden(i + 1, x);
  }
  if (mode == Mode::kPrefill) {
    for (const Segment& segment : segments) {
      segment.cache->seen += segment.kept;
      if (segment.cache->joint) break;  // it is every segment's
    }
  }
  return rms_norm(x, final_norm_, config_.rms_norm_eps);
}

}  // namespace canvaslab::gemma4
