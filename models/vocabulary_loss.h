// The cross-entropy of training, with its gradient, in passes over tiles of the vocabulary: like the
// prediction, it never holds [N, V].
#pragma once

#include <ATen/ATen.h>

#include <optional>
#include <span>

#include "models/loss_tiles.h"

namespace canvaslab {

struct VocabularyLossOptions {
  std::optional<double> softcap;        // logits are cap * tanh(x / cap); none: not capped
  std::span<const TokenId> suppressed;  // ids outside the softmax (the mask of masked diffusion)
  std::int64_t tile = 4096;             // vocabulary entries per tile

  TiledSoftmax softmax() const { return {{suppressed.begin(), suppressed.end()}, softcap.value_or(0), tile}; }
};

// -log p(targets) in nats, float32 [N], for hidden [N, H], output projection [V, H], targets int64 [N];
// differentiable by hidden and output. A suppressed target has an infinite loss.
at::Tensor vocabulary_loss(const at::Tensor& hidden, const at::Tensor& output, const at::Tensor& targets,
                           const VocabularyLossOptions& options);

// The same straight from the definition, with [N, V] tensors: the test's reference.
at::Tensor vocabulary_loss_reference(const at::Tensor& hidden, const at::Tensor& output,
                                     const at::Tensor& targets, const VocabularyLossOptions& options);

}  // namespace canvaslab
