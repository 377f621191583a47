#include "models/gemma4/padded_batch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"

namespace canvaslab::gemma4 {
namespace {

// Packed rows [N, ...] -> [B, S, ...], zeros where padding stands.
at::Tensor unpack(const at::Tensor& packed, const std::vector<std::int64_t>& padding, std::int64_t length) {
  std::vector<std::int64_t> shape{static_cast<std::int64_t>(padding.size()), length};
  shape.insert(shape.end(), packed.sizes().begin() + 1, packed.sizes().end());
  at::Tensor out = at::zeros(shape, packed.options());
  std::int64_t begin = 0;
  for (size_t r = 0; r < padding.size(); ++r) {
    const std::int64_t tokens = length - padding[r];
    out[static_cast<std::int64_t>(r)].narrow(0, padding[r], tokens).copy_(packed.narrow(0, begin, tokens));
    begin += tokens;
  }
  return out;
}

// Keeps what a pass shows, padded.
class Recorder : public LayerObserver {
 public:
  Recorder(TensorMap& out, const std::vector<std::int64_t>& padding, std::int64_t length, bool with_hidden)
      : out_(out), padding_(padding), length_(length), with_hidden_(with_hidden) {}

  void hidden(int index, const at::Tensor& state) override {
    if (with_hidden_) out_[fmt::format("hidden.{}", index)] = unpack(state, padding_, length_);
  }

  void routing(int layer, const Routing& routing) override {
    out_[fmt::format("router.{}.indices", layer)] = unpack(routing.indices, padding_, length_);
    out_[fmt::format("router.{}.weights", layer)] = unpack(routing.weights, padding_, length_);
  }

 private:
  TensorMap& out_;
  const std::vector<std::int64_t>& padding_;
  std::int64_t length_;
  bool with_hidden_;
};

std::vector<std::span<const TokenId>> views(const std::vector<std::vector<TokenId>>& rows) {
  return {rows.begin(), rows.end()};
}

}  // namespace

std::vector<std::int64_t> left_padding(const at::Tensor& attention_mask, std::int64_t batch,
                                       std::int64_t length) {
  std::vector<std::int64_t> padding(static_cast<size_t>(batch), 0);
  if (!attention_mask.defined()) return padding;
  if (attention_mask.dim() != 2 || attention_mask.size(0) != batch || attention_mask.size(1) != length) {
    throw ConfigurationError(
        fmt::format("attention_mask: expected shape [{}, {}], that of input_ids, found [{}]", batch, length,
                    fmt::join(attention_mask.sizes(), ", ")));
  }
  const at::Tensor mask = attention_mask.to(at::kLong).contiguous();
  for (std::int64_t r = 0; r < batch; ++r) {
    const auto* row = mask.const_data_ptr<std::int64_t>() + r * length;
    while (padding[r] < length && row[padding[r]] == 0) ++padding[r];
    for (std::int64_t i = padding[r]; i < length; ++i) {
      if (row[i] == 0) {
        throw ConfigurationError(
            fmt::format("attention_mask: row {} has padding at {} after a real token; only padding on "
                        "the left is supported",
                        r, i));
      }
    }
  }
  return padding;
}

std::vector<std::vector<TokenId>> rows_of(const at::Tensor& ids, const std::vector<std::int64_t>& padding,
                                          std::int64_t vocabulary, const char* name) {
  const at::Tensor flat = ids.to(at::kLong).contiguous();
  std::vector<std::vector<TokenId>> rows;
  for (size_t r = 0; r < padding.size(); ++r) {
    const auto* row = flat.const_data_ptr<std::int64_t>() + static_cast<std::int64_t>(r) * ids.size(1);
    for (std::int64_t i = padding[r]; i < ids.size(1); ++i) {
      if (row[i] < 0 || row[i] >= vocabulary) {
        throw ConfigurationError(
            fmt::format("{}: row {}, position {}: token id {} is outside the vocabulary of {} entries", name,
                        r, i, row[i], vocabulary));
      }
    }
    rows.emplace_back(row + padding[r], row + ids.size(1));
  }
  return rows;
}

PaddedBatch::PaddedBatch(const Gemma4Denoiser& denoiser, std::vector<std::int64_t> padding)
    : denoiser_(denoiser), padding_(std::move(padding)) {
  for (const std::int64_t before : padding_) {
    auto row = std::make_unique<Gemma4Row>();
    row->cache.layers.resize(denoiser.backbone().config().layers.size());
    row->cache.first_position = before;
    rows_.push_back(std::move(row));
  }
}

std::vector<Gemma4Row*> PaddedBatch::rows() const {
  std::vector<Gemma4Row*> pointers;
  for (const auto& row : rows_) pointers.push_back(row.get());
  return pointers;
}

TensorMap PaddedBatch::prefill(const at::Tensor& ids, bool with_hidden) {
  const c10::InferenceMode inference;
  const std::vector<std::int64_t> padding =
      seen_ == 0 ? padding_ : std::vector<std::int64_t>(padding_.size(), 0);
  const auto tokens = rows_of(ids, padding, denoiser_.vocabulary(), "input_ids");
  TensorMap out;
  Recorder recorder(out, padding, ids.size(1), with_hidden);
  out["last_hidden_state"] =
      unpack(denoiser_.prefill_pass(rows(), views(tokens), &recorder), padding, ids.size(1));
  seen_ += ids.size(1);
  return out;
}

TensorMap PaddedBatch::cache() const {
  const c10::InferenceMode inference;
  const Gemma4Config& config = denoiser_.backbone().config();
  TensorMap out;
  for (size_t i = 0; i < config.layers.size(); ++i) {
    const LayerConfig& layer = config.layers[i];
    const std::int64_t length = layer.full ? seen_ : std::min(seen_, config.sliding_window - 1);
    for (const bool key : {true, false}) {
      at::Tensor all =
          at::zeros({static_cast<std::int64_t>(rows_.size()), layer.kv_heads, length, layer.head_dim},
                    at::TensorOptions().dtype(denoiser_.backbone().type()));
      for (size_t r = 0; r < rows_.size(); ++r) {
        const LayerCache& cache = rows_[r]->cache.layers[i];
        const std::int64_t kept = cache.length();
        if (kept == 0) continue;
        all[static_cast<std::int64_t>(r)].narrow(1, length - kept, kept).copy_(key ? cache.key : cache.value);
      }
      out[fmt::format("cache.{}.{}", i, key ? "key" : "value")] = all;
    }
  }
  return out;
}

TensorMap PaddedBatch::denoise(const at::Tensor& canvas, const at::Tensor& self_conditioning_logits,
                               bool with_hidden) {
  const c10::InferenceMode inference;
  const std::int64_t batch = canvas.size(0), length = canvas.size(1), vocabulary = denoiser_.vocabulary();
  const std::vector<std::int64_t> none(padding_.size(), 0);
  const auto tokens = rows_of(canvas, none, vocabulary, "canvas");
  for (std::int64_t r = 0; r < batch; ++r) {
    rows_[r]->soft_embedding = self_conditioning_logits.defined()
                                   ? denoiser_.head().soft_embedding(self_conditioning_logits[r])
                                   : at::Tensor();
  }
  TensorMap out;
  Recorder recorder(out, none, length, with_hidden);
  const at::Tensor hidden = denoiser_.denoise_pass(rows(), views(tokens), &recorder);
  out["logits"] = denoiser_.head().logits(hidden).view({batch, length, vocabulary});
  return out;
}

}  // namespace canvaslab::gemma4
