// The Gemma 4 diffusion model behind the Denoiser interface.
#pragma once

#include <filesystem>
#include <memory>

#include "models/checkpoint/huggingface.h"
#include "models/denoiser.h"
#include "models/gemma4/backbone.h"
#include "models/self_conditioning.h"
#include "models/vocabulary_head.h"

namespace canvaslab::gemma4 {

enum class Precision { kAuto, kFloat32, kBfloat16 };

struct DenoiserOptions {
  Precision precision = Precision::kAuto;  // auto: float32 on the CPU, the checkpoint's own type elsewhere
  CanvasWindow canvas_window = CanvasWindow::kWhole;
  at::Device device = at::kCPU;
  double update_scale = 1;  // of low-rank updates among the tensors
};

// What the denoiser remembers of one row.
struct Gemma4Row : RowContext {
  RowCache cache;
  at::Tensor soft_embedding;  // [L, hidden]; undefined before the first step of a canvas

  std::unique_ptr<RowContext> clone() const override { return std::make_unique<Gemma4Row>(*this); }
  std::size_t bytes() const override;
};

class Gemma4Denoiser : public Denoiser {
 public:
  Gemma4Denoiser(const Checkpoint& checkpoint, const DenoiserOptions& options);

  std::int64_t vocabulary() const override { return head_.vocabulary(); }
  std::int64_t canvas_length() const override { return backbone_.config().canvas_length; }
  std::int64_t max_positions() const override { return backbone_.config().max_position_embeddings; }

  std::vector<std::unique_ptr<RowContext>> prefill(std::span<const Prompt> prompts) const override;
  void extend(std::span<RowContext* const> rows,
              std::span<const std::span<const TokenId>> canvases) const override;
  std::vector<Prediction> predict(std::span<const RowQuery> rows, const PassOptions& options) const override;
  std::vector<Prediction> predict_next(std::span<const RowQuery> rows,
                                       const PassOptions& options) const override;

  // The two passes by themselves, packed: tokens int64 [N], soft embeddings [N, hidden] -> final hidden
  // states [N, hidden].
  at::Tensor prefill_pass(const at::Tensor& tokens, std::span<const Segment> segments,
                          LayerObserver* observer) const;
  at::Tensor denoise_pass(const at::Tensor& tokens, const at::Tensor& soft_embedding,
                          std::span<const Segment> segments, LayerObserver* observer) const;

  // The same for rows of any lengths.
  at::Tensor prefill_pass(std::span<Gemma4Row* const> rows, std::span<const std::span<const TokenId>> tokens,
                          LayerObserver* observer) const;
  at::Tensor denoise_pass(std::span<Gemma4Row* const> rows,
                          std::span<const std::span<const TokenId>> canvases, LayerObserver* observer) const;

  const Backbone& backbone() const { return backbone_; }
  const VocabularyHead& head() const { return head_; }

 private:
  Gemma4Denoiser(const Checkpoint& checkpoint, const DenoiserOptions& options, const WeightSource& weights);

  struct PackedQueries;

  HeadResult ask_head(const at::Tensor& hidden, const PackedQueries& packed, const PassOptions& options,
                      SelfConditioning self_conditioning) const;
  std::vector<TokenId> draw_jointly(const at::Tensor& hidden, const HeadQuery& query, JointDraw& draw) const;

  Backbone backbone_;
  SelfConditioningBlock self_conditioning_;
  VocabularyHead head_;
  CanvasWindow canvas_window_;
};

}  // namespace canvaslab::gemma4
