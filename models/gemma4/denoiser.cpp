#include "models/gemma4/denoiser.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace canvaslab::gemma4 {
namespace {

constexpr int64_t kLargestJointDraw = int64_t{2} << 30;  // bytes of float32 logits
constexpr int64_t kPrefillTokens = 8192;                 // tokens a prefill pass takes at a time

at::ScalarType chosen_type(const Checkpoint& checkpoint, const DenoiserOptions& options) {
  if (options.precision == Precision::kBfloat16) return at::kBFloat16;
  if (options.precision == Precision::kFloat32 || options.device.is_cpu()) return at::kFloat;
  const at::ScalarType stored = checkpoint.tensors.at("model.decoder.embed_tokens.weight").scalar_type();
  return stored == at::kBFloat16 ? at::kBFloat16 : at::kFloat;
}

SelfConditioningBlock load_self_conditioning(const WeightSource& weight, double epsilon) {
  const std::string at = "model.decoder.self_conditioning.";
  return {.pre_norm = weight(at + "pre_norm.weight"),
          .mlp = {.gate = weight.projection(at + "gate_proj"),
                  .up = weight.projection(at + "up_proj"),
                  .down = weight.projection(at + "down_proj")},
          .epsilon = epsilon};
}

// The head's own output projection; undefined where it is tied to the embedding.
at::Tensor load_output(const Checkpoint& checkpoint, at::TensorOptions options) {
  if (checkpoint.config.tie_word_embeddings) return {};
  return checkpoint.tensors.at("lm_head.weight").to(options).contiguous();
}

at::Tensor pack(std::span<const std::span<const TokenId>> rows, int64_t vocabulary, at::Device device) {
  std::vector<int64_t> packed;
  for (const auto& row : rows) {
    for (const TokenId token : row) {
      if (token < 0 || token >= vocabulary) {
        throw Error(fmt::format("token id {} is outside the vocabulary of {} entries", token, vocabulary));
      }
      packed.push_back(token);
    }
  }
  return at::tensor(packed, at::kLong).to(device);
}

std::vector<Segment> segments_of(std::span<Gemma4Row* const> rows,
                                 std::span<const std::span<const TokenId>> tokens) {
  std::vector<Segment> segments;
  int64_t begin = 0;
  for (size_t r = 0; r < rows.size(); ++r) {
    const auto length = static_cast<int64_t>(tokens[r].size());
    if (length > 0) segments.push_back({begin, length, &rows[r]->cache});
    begin += length;
  }
  return segments;
}

Gemma4Row* as_row(RowContext* context) {
  return static_cast<Gemma4Row*>(context);
}

}  // namespace

// The rows of a pass, one after another.
struct Gemma4Denoiser::PackedQueries {
  std::vector<Gemma4Row*> rows;
  std::vector<std::span<const TokenId>> tokens;
  std::vector<std::int64_t> lengths;
  std::vector<TokenId> current, given;
  std::vector<float> temperature, shift;
  std::vector<double> uniforms;

  explicit PackedQueries(std::span<const RowQuery> queries) {
    for (const RowQuery& query : queries) {
      rows.push_back(as_row(query.context));
      tokens.push_back(query.canvas);
      lengths.push_back(static_cast<std::int64_t>(query.canvas.size()));
      current.insert(current.end(), query.canvas.begin(), query.canvas.end());
      given.insert(given.end(), query.given.begin(), query.given.end());
      uniforms.insert(uniforms.end(), query.uniforms.begin(), query.uniforms.end());
      temperature.insert(temperature.end(), query.canvas.size(), query.temperature);
      shift.insert(shift.end(), query.canvas.size(), query.current_shift);
    }
    if (std::all_of(shift.begin(), shift.end(), [](float value) { return value == 0; })) shift.clear();
  }
};

std::size_t Gemma4Row::bytes() const {
  std::size_t total = soft_embedding.defined() ? soft_embedding.nbytes() : 0;
  for (const LayerCache& layer : cache.layers) {
    if (layer.key.defined()) total += layer.key.nbytes() + layer.value.nbytes();
  }
  return total;
}

Gemma4Denoiser::Gemma4Denoiser(const Checkpoint& checkpoint, const DenoiserOptions& options)
    : Gemma4Denoiser(checkpoint, options,
                     WeightSource(checkpoint.tensors, chosen_type(checkpoint, options), options.device,
                                  options.update_scale)) {}

Gemma4Denoiser::Gemma4Denoiser(const Checkpoint& checkpoint, const DenoiserOptions& options,
                               const WeightSource& weights)
    : backbone_(checkpoint.config, weights),
      self_conditioning_(load_self_conditioning(weights, checkpoint.config.rms_norm_eps)),
      head_(backbone_.embedding(), backbone_.embedding_scale(), checkpoint.config.final_logit_softcapping,
            VocabularyHead::kTile,
            load_output(checkpoint, at::TensorOptions().dtype(backbone_.type()).device(options.device))),
      canvas_window_(options.canvas_window) {}

at::Tensor Gemma4Denoiser::prefill_pass(const at::Tensor& tokens, std::span<const Segment> segments,
                                        LayerObserver* observer) const {
  return backbone_.forward(backbone_.embed(tokens), segments, Mode::kPrefill, canvas_window_, observer);
}

at::Tensor Gemma4Denoiser::denoise_pass(const at::Tensor& tokens, const at::Tensor& soft_embedding,
                                        std::span<const Segment> segments, LayerObserver* observer) const {
  return backbone_.forward(self_conditioning_(backbone_.embed(tokens), soft_embedding), segments,
                           Mode::kDenoise, canvas_window_, observer);
}

at::Tensor Gemma4Denoiser::prefill_pass(std::span<Gemma4Row* const> rows,
                                        std::span<const std::span<const TokenId>> tokens,
                                        LayerObserver* observer) const {
  const at::Tensor ids = pack(tokens, vocabulary(), backbone_.device());
  const std::vector<Segment> segments = segments_of(rows, tokens);
  if (segments.empty()) return at::empty({0, backbone_.config().hidden_size}, backbone_.type());
  return prefill_pass(ids, segments, observer);
}

at::Tensor Gemma4Denoiser::denoise_pass(std::span<Gemma4Row* const> rows,
                                        std::span<const std::span<const TokenId>> canvases,
                                        LayerObserver* observer) const {
  const at::Tensor ids = pack(canvases, vocabulary(), backbone_.device());
  std::vector<at::Tensor> previous;
  for (size_t r = 0; r < rows.size(); ++r) {
    previous.push_back(
        rows[r]->soft_embedding.defined()
            ? rows[r]->soft_embedding
            : at::zeros({static_cast<int64_t>(canvases[r].size()), backbone_.config().hidden_size},
                        at::TensorOptions(backbone_.type()).device(backbone_.device())));
  }
  return denoise_pass(ids, at::cat(previous), segments_of(rows, canvases), observer);
}

std::vector<std::unique_ptr<RowContext>> Gemma4Denoiser::prefill(std::span<const Prompt> prompts) const {
  const c10::InferenceMode inference;
  std::vector<std::unique_ptr<RowContext>> contexts;
  std::vector<Gemma4Row*> rows;
  std::vector<std::span<const TokenId>> tokens;
  int64_t waiting = 0;
  const auto flush = [&] {
    if (!rows.empty()) prefill_pass(rows, tokens, nullptr);
    rows.clear(), tokens.clear();
    waiting = 0;
  };
  for (const Prompt& prompt : prompts) {
    auto row = std::make_unique<Gemma4Row>();
    row->cache.layers.resize(backbone_.config().num_hidden_layers);
    row->cache.first_position = prompt.padding_before;
    rows.push_back(row.get());
    tokens.push_back(prompt.tokens);
    contexts.push_back(std::move(row));
    waiting += static_cast<int64_t>(prompt.tokens.size());
    if (waiting >= kPrefillTokens) flush();
  }
  flush();
  return contexts;
}

void Gemma4Denoiser::extend(std::span<RowContext* const> contexts,
                            std::span<const std::span<const TokenId>> canvases) const {
  const c10::InferenceMode inference;
  std::vector<Gemma4Row*> rows;
  for (RowContext* context : contexts) {
    rows.push_back(as_row(context));
    rows.back()->soft_embedding = at::Tensor();
  }
  prefill_pass(rows, canvases, nullptr);
}

std::vector<TokenId> Gemma4Denoiser::draw_jointly(const at::Tensor& hidden, const HeadQuery& query,
                                                  JointDraw& draw) const {
  if (hidden.size(0) * vocabulary() * 4 > kLargestJointDraw) {
    throw ConfigurationError(fmt::format(
        "random: torch_compatible draws from all {} x {} probabilities at once, {:.1f} GB of logits; at most "
        "2 GB are "
        "allowed. Use fewer rows, or the default random: counter, which never materialises them",
        hidden.size(0), vocabulary(), static_cast<double>(hidden.size(0) * vocabulary() * 4) / 1e9));
  }
  const at::Tensor z = head_.tempered_logits(hidden, query);
  const at::Tensor t =
      at::tensor(at::ArrayRef<float>(query.temperature.data(), query.temperature.size())).unsqueeze(1);
  const at::Tensor certain = at::zeros_like(z).scatter_(-1, z.argmax(-1, true), 1.0);
  const at::Tensor p = at::where(t == 0, certain, at::softmax(z, -1)).contiguous();
  std::vector<TokenId> drawn(hidden.size(0));
  draw({p.const_data_ptr<float>(), static_cast<size_t>(p.numel())}, vocabulary(), drawn);
  return drawn;
}

std::vector<Prediction> Gemma4Denoiser::predict(std::span<const RowQuery> queries,
                                                const PassOptions& options) const {
  const c10::InferenceMode inference;
  const PackedQueries packed(queries);
  const at::Tensor hidden = denoise_pass(packed.rows, packed.tokens, nullptr);
  const HeadResult result = ask_head(hidden, packed, options, options.self_conditioning);
  std::int64_t begin = 0;
  for (size_t r = 0; r < queries.size(); ++r) {
    if (!queries[r].frozen) {
      packed.rows[r]->soft_embedding = result.soft_embedding.defined()
                                           ? result.soft_embedding.narrow(0, begin, packed.lengths[r])
                                           : at::Tensor();
    }
    begin += packed.lengths[r];
  }
  return split(result.prediction, packed.lengths);
}

std::vector<Prediction> Gemma4Denoiser::predict_next(std::span<const RowQuery> queries,
                                                     const PassOptions& options) const {
  const c10::InferenceMode inference;
  const PackedQueries packed(queries);
  const at::Tensor hidden = prefill_pass(packed.rows, packed.tokens, nullptr);
  return split(ask_head(hidden, packed, options, SelfConditioning::kOff).prediction, packed.lengths);
}

HeadResult Gemma4Denoiser::ask_head(const at::Tensor& hidden, const PackedQueries& packed,
                                    const PassOptions& options, SelfConditioning self_conditioning) const {
  HeadQuery query{.temperature = packed.temperature,
                  .current = packed.current,
                  .uniforms = packed.uniforms,
                  .given = packed.given,
                  .suppressed = options.suppressed,
                  .self_conditioning = self_conditioning,
                  .current_shift = packed.shift,
                  .filter = options.filter,
                  .raw_probability = options.raw_probability};
  std::vector<TokenId> drawn;
  if (options.joint_draw != nullptr) query.given = drawn = draw_jointly(hidden, query, *options.joint_draw);
  try {
    return head_(hidden, query);
  } catch (const NonFiniteLogit& bad) {
    std::int64_t position = bad.position;
    int row = 0;
    while (position >= packed.lengths[static_cast<size_t>(row)])
      position -= packed.lengths[static_cast<size_t>(row++)];
    throw NonFinitePrediction(row, static_cast<int>(position));
  }
}

}  // namespace canvaslab::gemma4
