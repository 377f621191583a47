// A left-padded batch, the form in which other implementations pass prompts: used to compare with them, pass
// by pass.
//
// Inside, padding does not exist: each row is read alone, and results are laid out padded again, zeros where
// mask is 0.
#pragma once

#include <ATen/ATen.h>

#include <memory>
#include <vector>

#include "models/checkpoint/safetensors.h"
#include "models/gemma4/denoiser.h"

namespace canvaslab::gemma4 {

// The number of padding tokens in front of each row of attention_mask [B,S]; undefined mask: none.
// ConfigurationError when a padding token has a real one before it.
std::vector<std::int64_t> left_padding(const at::Tensor& attention_mask, std::int64_t batch,
                                       std::int64_t length);

// int64 [B,S] ids -> rows without their first `padding[r]` entries. ConfigurationError for ids outside the
// vocabulary, with the tensor's name.
std::vector<std::vector<TokenId>> rows_of(const at::Tensor& ids, const std::vector<std::int64_t>& padding,
                                          std::int64_t vocabulary, const char* name);

class PaddedBatch {
 public:
  // padding: in front of each row of the first prefill.
  PaddedBatch(const Gemma4Denoiser& denoiser, std::vector<std::int64_t> padding);

  // Reads ids [B,S] on top of what was read before (padding counts in the first call only). Gives
  // "last_hidden_state" [B,S,H], "router.i.indices" / ".weights" [B,S,K] and, if asked, "hidden.j" [B,S,H].
  TensorMap prefill(const at::Tensor& ids, bool with_hidden);

  // "cache.i.key" / ".value" [B,kv_i,C_i,d_i].
  TensorMap cache() const;

  // One denoising pass over canvas [B,L]: "logits" [B,L,V] float32, router and hidden states as above.
  // self-conditioning logits [B,L,V] (already divided by the temperature) may be undefined: a first step.
  TensorMap denoise(const at::Tensor& canvas, const at::Tensor& self_conditioning_logits, bool with_hidden);

 private:
  std::vector<Gemma4Row*> rows() const;

  const Gemma4Denoiser& denoiser_;
  std::vector<std::int64_t> padding_;
  std::int64_t seen_ = 0;  // with padding
  std::vector<std::unique_ptr<Gemma4Row>> rows_;
};

}  // namespace canvaslab::gemma4
