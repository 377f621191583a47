// The model, as the sampling loop sees it: prompts go in, predictions of a whole canvas come out.
//
// A denoiser owns its weights and is const after construction. What it remembers of one row (one sample) -
// the key/value cache, and the probabilities that the next step is conditioned on - lives in a RowContext, so
// rows join and leave a batch by moving a pointer.
//
// Shapes: B rows, L canvas positions, V vocabulary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/error.h"
#include "core/random/random.h"
#include "core/step.h"
#include "models/self_conditioning_kind.h"
#include "models/vocabulary_filter.h"

namespace canvaslab {

class RowContext {
 public:
  virtual ~RowContext() = default;

  // A copy that goes its own way. Cheap: what is large is shared and never written in place.
  virtual std::unique_ptr<RowContext> clone() const = 0;

  // The memory behind it, shared or not.
  virtual std::size_t bytes() const = 0;
};

struct Prompt {
  std::span<const TokenId> tokens;  // [S], without padding; may be empty
  std::int64_t padding_before =
      0;  // positions that padding takes up in front (parity with padded batches), else 0
};

// One row's share of a denoising pass. Candidates are drawn from `uniforms`, or are `given`, or come from a
// JointDraw.
struct RowQuery {
  RowContext* context = nullptr;
  std::span<const TokenId> canvas;   // [L]
  float temperature = 1;             // 0 = greedy
  std::span<const double> uniforms;  // [L] in [0, 1)
  std::span<const TokenId> given;    // [L]
  float current_shift = 0;  // added to the logit of the token now on the canvas, before the temperature
  double survival = 0;      // alpha before this step, for denoisers that are told the noise level
  bool frozen = false;      // the context stays as it is: parity modes look at rows that have stopped
};

struct PassOptions {
  std::span<const TokenId> suppressed;  // ids that are never predicted
  SelfConditioning self_conditioning = SelfConditioning::kTempered;
  JointDraw* joint_draw = nullptr;
  VocabularyFilter filter;
  bool raw_probability = false;  // whether raw_sampled_probability is wanted
};

// A prediction that is not finite. Row and position say where in the pass.
class NonFinitePrediction : public std::runtime_error {
 public:
  NonFinitePrediction(int at_row, int at_position)
      : std::runtime_error("the model returned a non-finite logit"), row(at_row), position(at_position) {}
  int row, position;
};

class Denoiser {
 public:
  virtual ~Denoiser() = default;

  virtual std::int64_t vocabulary() const = 0;     // V
  virtual std::int64_t canvas_length() const = 0;  // L that the model was made for
  virtual std::int64_t max_positions() const = 0;  // prompt and canvases together

  // Whether predictions are p(x_i | z without z_i) instead of the full posterior p(x_i | z).
  virtual bool leave_one_out() const { return false; }

  // ConfigurationError when predictions are made for another noise than this one, the law [V] of a token of
  // pure noise.
  virtual void check_noise(std::span<const double> /*prior*/) const {}

  // Reads prompts causally. Fresh contexts, in the prompts' order.
  virtual std::vector<std::unique_ptr<RowContext>> prefill(std::span<const Prompt> prompts) const = 0;

  // A finished canvas joins each row's cache; the next pass over the row is a first step again.
  virtual void extend(std::span<RowContext* const> rows,
                      std::span<const std::span<const TokenId>> canvases) const = 0;

  // One denoising pass over all rows. Each row's context remembers the probabilities for its next pass.
  // Throws NonFinitePrediction.
  virtual std::vector<Prediction> predict(std::span<const RowQuery> rows,
                                          const PassOptions& options) const = 0;

  // The causal mode: each row's `canvas`, [n] tokens of any number from 1, joins its cache, and what follows
  // each of them is predicted. Predictions [n]; the i-th is about the token after canvas[i], and its
  // current_probability means nothing. Without self-conditioning. ConfigurationError when the model has no
  // such mode. Throws NonFinitePrediction.
  virtual std::vector<Prediction> predict_next(std::span<const RowQuery> /*rows*/,
                                               const PassOptions& /*options*/) const {
    throw ConfigurationError("this model has no causal mode that predicts the next token: use sampler=block");
  }
};

}  // namespace canvaslab
