#include "models/exact/exact_denoiser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/exact/probabilities.h"
#include "models/exact/quadrature.h"
#include "models/exact/statistics.h"

namespace canvaslab {
namespace {

// Nothing is remembered of a row.
struct ExactRow : RowContext {
  std::unique_ptr<RowContext> clone() const override { return std::make_unique<ExactRow>(); }
  std::size_t bytes() const override { return 0; }
};

}  // namespace

ExactDenoiser::ExactDenoiser(std::shared_ptr<const JointModel> model, const ExactSettings& settings)
    : model_(std::move(model)), settings_(settings), symbols_(static_cast<size_t>(model_->symbols())) {}

std::int64_t ExactDenoiser::vocabulary() const {
  return model_->symbols() + (settings_.corruption == Corruption::kMasked ? 1 : 0);
}

void ExactDenoiser::check_noise(std::span<const double> prior) const {
  const bool masks = prior.size() == symbols_ + 1 && prior.back() == 1;
  if (masks == (settings_.corruption == Corruption::kMasked)) return;
  throw ConfigurationError(masks ? "model.corruption is uniform, and the noise consists of masks: use "
                                   "noise=uniform or model.corruption=masked"
                                 : "model.corruption is masked, and the noise is random symbols: use "
                                   "noise=masked or model.corruption=uniform");
}

std::vector<std::unique_ptr<RowContext>> ExactDenoiser::prefill(std::span<const Prompt> prompts) const {
  std::vector<std::unique_ptr<RowContext>> contexts;
  for (const Prompt& prompt : prompts) {
    if (!prompt.tokens.empty()) throw ConfigurationError("an exact denoiser takes no prompt");
    contexts.push_back(std::make_unique<ExactRow>());
  }
  return contexts;
}

void ExactDenoiser::extend(std::span<RowContext* const> /*rows*/,
                           std::span<const std::span<const TokenId>> /*canvases*/) const {
  throw ConfigurationError("an exact denoiser has one canvas; nothing follows it");
}

std::vector<Prediction> ExactDenoiser::predict(std::span<const RowQuery> rows,
                                               const PassOptions& options) const {
  if (options.joint_draw != nullptr)
    throw ConfigurationError("an exact denoiser draws position by position: use random=counter");
  std::vector<Prediction> predictions;
  for (const RowQuery& row : rows)
    predictions.push_back(statistics_of(distribution(row.canvas, row.survival), row, options));
  return predictions;
}

std::vector<double> ExactDenoiser::evidence(std::span<const TokenId> canvas, double survival) const {
  std::vector<double> seen = seen_evidence(canvas, symbols_);
  if (settings_.corruption == Corruption::kUniform) {
    for (double& value : seen) value = survival * value + (1 - survival) / static_cast<double>(symbols_);
  }
  return seen;
}

std::vector<double> ExactDenoiser::softened(std::span<const TokenId> canvas) const {
  std::vector<double> seen = seen_evidence(canvas, symbols_);
  for (double& value : seen)
    value = (1 - settings_.epsilon) * value + settings_.epsilon / static_cast<double>(symbols_);
  return seen;
}

double ExactDenoiser::joint(std::span<const double> evidence, std::vector<double>& masses) const {
  Posterior whole = model_->posterior(evidence);
  masses = std::move(whole.marginals);
  if (!settings_.leave_one_out) return whole.log_evidence;
  std::vector<double> without(evidence.begin(), evidence.end());
  for (size_t i = 0; i < evidence.size(); i += symbols_) {
    const auto row = without.begin() + static_cast<std::ptrdiff_t>(i);
    std::fill_n(row, symbols_, 1.0);
    const Posterior others = model_->posterior(without);
    const double scale = std::exp(others.log_evidence - whole.log_evidence);
    for (size_t v = 0; v < symbols_; ++v) masses[i + v] = others.marginals[i + v] * scale;
    std::copy_n(evidence.begin() + static_cast<std::ptrdiff_t>(i), symbols_, row);
  }
  return whole.log_evidence;
}

std::vector<double> ExactDenoiser::masses(std::span<const TokenId> canvas, double survival) const {
  const bool marginal =
      settings_.corruption == Corruption::kUniform && settings_.noise_level == NoiseLevel::kMarginal;
  std::vector<double> result;
  if (!marginal) {
    if (joint(evidence(canvas, survival), result) == kImpossible) joint(softened(canvas), result);
    return result;
  }
  // Powers of alpha up to L, times up to L factors more where positions are left out: still degree L.
  const std::vector<QuadratureNode> nodes = gauss_legendre(model_->length() / 2 + 1);
  std::vector<std::vector<double>> parts(nodes.size());
  std::vector<double> log_weight;
  for (size_t n = 0; n < nodes.size(); ++n)
    log_weight.push_back(std::log(nodes[n].weight) + joint(evidence(canvas, nodes[n].place), parts[n]));
  const double most = *std::max_element(log_weight.begin(), log_weight.end());
  result.assign(parts[0].size(), 0.0);
  for (size_t n = 0; n < nodes.size(); ++n)
    for (size_t k = 0; k < result.size(); ++k) result[k] += std::exp(log_weight[n] - most) * parts[n][k];
  return result;
}

std::vector<double> ExactDenoiser::distribution(std::span<const TokenId> canvas, double survival) const {
  std::vector<double> mass = masses(canvas, survival);
  const auto width = static_cast<size_t>(vocabulary());
  std::vector<double> all(canvas.size() * width, 0.0);
  for (size_t i = 0; i < canvas.size(); ++i) {
    const std::span row = std::span(mass).subspan(i * symbols_, symbols_);
    normalise(row);
    std::copy(row.begin(), row.end(), all.begin() + static_cast<std::ptrdiff_t>(i * width));
  }
  return all;
}

}  // namespace canvaslab
