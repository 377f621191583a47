// The Gemma 4 mixture-of-experts stack: one set of layers, used causally (prefill, writes the cache) and
// bidirectionally (denoising a canvas over that cache). The two modes differ only in attention and in one
// scalar a layer.
#pragma once

#include <ATen/ATen.h>

#include <map>
#include <span>
#include <string>
#include <vector>

#include "models/gemma4/attention.h"
#include "models/gemma4/config.h"
#include "models/gemma4/kv_cache.h"
#include "models/gemma4/moe.h"
#include "models/gemma4/weight_source.h"
#include "models/numeric.h"

namespace canvaslab::gemma4 {

struct LayerWeights {
  AttentionWeights attention;
  GatedMlp mlp;
  RouterWeights router;
  ExpertWeights experts;
  at::Tensor input_norm, post_attention_norm;      // [hidden]
  at::Tensor pre_mlp_norm, post_mlp_norm;          // around the dense MLP
  at::Tensor pre_experts_norm, post_experts_norm;  // around the experts
  at::Tensor post_feed_forward_norm;               // after their sum
  at::Tensor prefill_scalar, denoise_scalar;       // [1]: multiplies the whole stream at the layer's end
};

// Watches a pass from outside; for cross-checks and traces.
class LayerObserver {
 public:
  virtual ~LayerObserver() = default;
  virtual void hidden(int index,
                      const at::Tensor& state) = 0;  // [N, hidden]; 0 = input, i + 1 = output of layer i
  virtual void routing(int layer, const Routing& routing) = 0;  // [N, K]
};

class Backbone {
 public:
  Backbone(const Gemma4Config& config, const WeightSource& weights);

  // Runs the stack and the final norm on x [N, hidden], packed as `segments` say. In prefill mode the rows'
  // caches grow; in denoise mode they are only read.
  at::Tensor forward(at::Tensor x, std::span<const Segment> segments, Mode mode, CanvasWindow window,
                     LayerObserver* observer = nullptr) const;

  // Embedding rows times sqrt(hidden); tokens int64 [N] -> [N, hidden].
  at::Tensor embed(const at::Tensor& tokens) const;

  const Gemma4Config& config() const { return config_; }
  const at::Tensor& embedding() const { return embedding_; }  // [V, hidden]
  double embedding_scale() const { return embedding_scale_; }
  at::ScalarType type() const { return embedding_.scalar_type(); }
  at::Device device() const { return embedding_.device(); }

 private:
  at::Tensor layer_forward(int index, const at::Tensor& x, std::span<const Segment> segments, Mode mode,
                           CanvasWindow window, const RopeTable& rope, LayerObserver* observer) const;

  Gemma4Config config_;
  at::Tensor embedding_, final_norm_;
  double embedding_scale_;
  std::vector<LayerWeights> layers_;
};

}  // namespace canvaslab::gemma4
