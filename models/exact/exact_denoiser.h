// A denoiser whose predictions are true posterior marginals of a joint model: what it gets wrong is nothing,
// so an error of what is sampled is the sampler's own.
//
// Masked corruption: revealed positions are certain, the others were not observed; the time does not matter.
// Uniform corruption: a position holds its clean token with probability alpha, else any of the K symbols:
//   p(z | x) = alpha [z = x] + (1 - alpha) / K
// and alpha is the current step's (`schedule`), or unknown and uniform in (0, 1) (`marginal`: what a network
// that is not told the time learns under the linear noise schedule). Marginalising is exact: p(z | alpha) is
// a polynomial of degree L in alpha, which Gauss-Legendre quadrature integrates without error.
#pragma once

#include <memory>

#include "models/denoiser.h"
#include "models/exact/joint_model.h"

namespace canvaslab {

enum class Corruption { kMasked, kUniform };
enum class NoiseLevel { kSchedule, kMarginal };

struct ExactSettings {
  Corruption corruption = Corruption::kMasked;
  NoiseLevel noise_level = NoiseLevel::kSchedule;
  bool leave_one_out = false;  // predicts p(x_i | z without z_i) instead of p(x_i | z)
  // A canvas that no sequence explains gets the posterior of evidence that is right with probability
  // 1 - epsilon only, and else any symbol's.
  double epsilon = 1e-6;
};

// Ids 0 .. K - 1 are the symbols; under masked corruption id K is the mask. One canvas of L positions, no
// prompt.
class ExactDenoiser : public Denoiser {
 public:
  ExactDenoiser(std::shared_ptr<const JointModel> model, const ExactSettings& settings);

  std::int64_t vocabulary() const override;
  std::int64_t canvas_length() const override { return model_->length(); }
  std::int64_t max_positions() const override { return model_->length(); }
  bool leave_one_out() const override { return settings_.leave_one_out; }
  void check_noise(std::span<const double> prior) const override;

  std::vector<std::unique_ptr<RowContext>> prefill(std::span<const Prompt> prompts) const override;
  void extend(std::span<RowContext* const> rows,
              std::span<const std::span<const TokenId>> canvases) const override;
  std::vector<Prediction> predict(std::span<const RowQuery> rows, const PassOptions& options) const override;

  // The prediction itself, float64 [L, V], for a canvas [L] at this alpha.
  std::vector<double> distribution(std::span<const TokenId> canvas, double survival) const;

  const JointModel& model() const { return *model_; }
  const ExactSettings& settings() const { return settings_; }

 private:
  std::vector<double> evidence(std::span<const TokenId> canvas, double survival) const;
  std::vector<double> softened(std::span<const TokenId> canvas) const;
  // p(x_i = v, z) for every position, [L, K], up to one factor whose logarithm comes back; leave-one-out:
  // p(x_i = v, z without z_i).
  double joint(std::span<const double> evidence, std::vector<double>& masses) const;
  std::vector<double> masses(std::span<const TokenId> canvas, double survival) const;

  std::shared_ptr<const JointModel> model_;
  ExactSettings settings_;
  size_t symbols_;  // K
};

}  // namespace canvaslab
