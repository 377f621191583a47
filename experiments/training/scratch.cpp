// `initial: scratch`: random weights of the sizes given, with a tokenizer of the task's own characters.
#include "core/error.h"
#include "core/registry.h"
#include "experiments/tasks/character_tokenizer.h"
#include "experiments/training/initial_model.h"
#include "models/gemma4/initial_weights.h"

namespace canvaslab {
namespace {

class Scratch : public InitialModel {
 public:
  struct Config {
    int hidden_size = 128, layers = 4, full_every = 4;
    int heads = 4, kv_heads = 2, head_dim = 32;
    int full_kv_heads = 1, full_head_dim = 64;
    int intermediate_size = 128;
    int experts = 8, experts_per_token = 2, expert_size = 64;
    int sliding_window = 512;
    std::optional<double> softcap = 30.0;
    double embedding_deviation = 0.1, projection_deviation = 0.02;

    template <class Visitor>
    void fields(Visitor& visit) {
      const auto size = [&](const char* name, int& value, const char* meaning) {
        visit(name, value, {.meaning = meaning, .minimum = 1, .maximum = 1 << 20});
      };
      size("hidden_size", hidden_size, "channels of the residual stream");
      size("layers", layers, "layers in all");
      size("full_every", full_every, "every n-th layer, and the last, has full attention; the rest slide");
      size("heads", heads, "query heads");
      size("kv_heads", kv_heads, "key/value heads of sliding layers");
      size("head_dim", head_dim, "channels of a head of sliding layers");
      size("full_kv_heads", full_kv_heads, "key/value heads of full layers");
      size("full_head_dim", full_head_dim, "channels of a head of full layers");
      size("intermediate_size", intermediate_size, "width of the dense MLP");
      size("experts", experts, "experts a layer");
      size("experts_per_token", experts_per_token, "experts that a token goes to");
      size("expert_size", expert_size, "width of an expert");
      visit("sliding_window", sliding_window,
            {.unit = "tokens", .meaning = "keys that a causal query of a sliding layer sees", .minimum = 2});
      visit("softcap", softcap, {.meaning = "logits are capped to this size; null: not", .above = 0});
      visit("embedding_deviation", embedding_deviation,
            {.meaning = "standard deviation of the initial embedding", .above = 0});
      visit("projection_deviation", projection_deviation,
            {.meaning = "standard deviation of the other initial matrices", .above = 0});
    }
  };

  explicit Scratch(const Config& config) : config_(config) {}

  ModelParts make(const Task& task, std::uint64_t seed) const override {
    const std::vector<std::string> symbols = task.symbols();
    const std::optional<std::int64_t> canvas = task.canvas_length();
    if (symbols.empty() || !canvas) {
      throw ConfigurationError(
          "initial: scratch makes a tokenizer of the task's characters, and this task has none of its own; "
          "use initial=checkpoint");
    }
    ModelParts parts;
    parts.tokenizer_json = character_tokenizer(symbols);
    parts.config = architecture(static_cast<std::int64_t>(symbols.size()) + 4, *canvas);
    check_gemma4_config(parts.config, "initial");
    parts.generation.max_new_tokens = *canvas;
    parts.generation.eos_token_ids = {1};
    parts.generation.pad_token_id = 0;
    parts.generation.bos_token_id = 2;
    parts.weights =
        initial_weights(parts.config, {config_.embedding_deviation, config_.projection_deviation}, seed);
    return parts;
  }

 private:
  Gemma4Config architecture(std::int64_t vocabulary, std::int64_t canvas) const {
    Gemma4Config out;
    out.hidden_size = config_.hidden_size;
    out.intermediate_size = config_.intermediate_size;
    out.moe_intermediate_size = config_.expert_size;
    out.num_hidden_layers = config_.layers;
    out.num_attention_heads = config_.heads;
    out.num_key_value_heads = config_.kv_heads;
    out.head_dim = config_.head_dim;
    out.num_experts = config_.experts;
    out.top_k_experts = config_.experts_per_token;
    out.sliding_window = config_.sliding_window;
    out.vocab_size = vocabulary;
    out.canvas_length = canvas;
    out.final_logit_softcapping = config_.softcap;
    out.eos_token_ids = {1};
    out.bos_token_id = 2;
    out.pad_token_id = 0;
    out.dtype = "float32";
    const RopeConfig slow{.kind = RopeKind::kProportional, .theta = 1e6, .partial_rotary_factor = 0.25};
    for (int i = 0; i < config_.layers; ++i) {
      const bool full = (i + 1) % config_.full_every == 0 || i + 1 == config_.layers;
      out.layers.push_back(full ? LayerConfig{true, config_.full_head_dim, config_.full_kv_heads, slow}
                                : LayerConfig{false, config_.head_dim, config_.kv_heads, {}});
    }
    return out;
  }

  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(InitialModel, Scratch, "scratch", "random weights, a tokenizer of the task's characters",
                   "");

}  // namespace canvaslab
