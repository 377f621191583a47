// From hidden states to everything that a decision needs, in one pass over the vocabulary.
//
// logits = cap * tanh((h O^T) / cap) have V columns, and V is 262,144 in the real model: they are computed
// tile by tile, reduced to per-position statistics, a draw and the soft embedding of the next step, and
// forgotten. Memory is O(N * tile), whatever V is.
//
// O is the output projection; where weights are tied it is the embedding E, which the soft embedding always
// uses.
//
// Shapes: N positions (all rows of the batch, packed), H hidden, V vocabulary.
#pragma once

#include <ATen/ATen.h>

#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/step.h"
#include "models/self_conditioning.h"
#include "models/vocabulary_filter.h"

namespace canvaslab {

// A logit that is NaN or infinite before suppression. `position` counts within the pass: 0 .. N - 1.
class NonFiniteLogit : public std::runtime_error {
 public:
  explicit NonFiniteLogit(std::int64_t at) : std::runtime_error("non-finite logit"), position(at) {}
  std::int64_t position;
};

struct HeadQuery {
  std::span<const float> temperature;  // [N]; 0 = greedy: all mass on the most probable token
  std::span<const TokenId> current;    // [N] the tokens now on the canvas
  std::span<const double>
      uniforms;  // [N] in [0, 1): the draw is the first token whose cumulative mass exceeds u Z
  std::span<const TokenId> given;       // [N] instead of uniforms: draws made elsewhere
  std::span<const TokenId> suppressed;  // ids that are never predicted: their logit is minus infinity
  SelfConditioning self_conditioning = SelfConditioning::kTempered;
  // What follows is rarely asked for, and is computed from all logits of a few positions at a time.
  std::span<const float> current_shift = {};  // [N] added to the current token's logit; empty: 0
  VocabularyFilter filter = {};
  bool raw_probability = false;  // whether raw_sampled_probability is wanted
};

struct HeadResult {
  Prediction prediction;      // [N], all rows one after another
  at::Tensor soft_embedding;  // [N, H], probabilities @ E, scaled; undefined when self-conditioning is off
};

class VocabularyHead {
 public:
  static constexpr std::int64_t kTile = 4096;

  // `softcap`: none = no cap. `tile`: vocabulary entries per tile (a power of two near the default is
  // fastest). `output` [V, H]: undefined = tied to the embedding.
  VocabularyHead(at::Tensor embedding, double embedding_scale, std::optional<double> softcap,
                 std::int64_t tile = kTile, at::Tensor output = {});

  // hidden [N, H], after the final norm. Throws NonFiniteLogit for the first position that has one.
  HeadResult operator()(const at::Tensor& hidden, const HeadQuery& query) const;

  // All logits at once, float32 [N, V], capped; for cross-checks and the parity modes of the random
  // generator.
  at::Tensor logits(const at::Tensor& hidden) const;

  // The logits that the draw is made from, float32 [N, V]: capped, suppressed, shifted, divided by the
  // temperature (by 1 where it is 0) and filtered. Minus infinity where a token cannot be drawn.
  at::Tensor tempered_logits(const at::Tensor& hidden, const HeadQuery& query) const;

  // The soft embedding of given logits [N, V] (already divided by the temperature): what the next step
  // receives.
  at::Tensor soft_embedding(const at::Tensor& tempered_logits) const;

  // The same result as operator(), straight from the definitions with [N, V] tensors: the test's reference,
  // and the path for devices that have no kernel.
  HeadResult reference(const at::Tensor& hidden, const HeadQuery& query) const;

  std::int64_t vocabulary() const { return embedding_.size(0); }
  const at::Tensor& output() const { return output_; }  // [V, H]

 private:
  HeadResult by_definition(const at::Tensor& hidden, const HeadQuery& query) const;

  at::Tensor embedding_, output_;  // [V, H]
  double embedding_scale_;
  std::optional<double> softcap_;
  std::int64_t tile_;
};

}  // namespace canvaslab
