#include "experiments/causal_mode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/config/yaml.h"

namespace canvaslab {
namespace {

// The weight of the causal loss in the training that made the checkpoint; 0 where none is on record.
double recorded_causal_weight(const std::filesystem::path& checkpoint) {
  const std::filesystem::path record = checkpoint / "training.yaml";
  if (checkpoint.empty() || !std::filesystem::exists(record)) return 0;  // an exact model has no folder
  const config::Node training = config::read_yaml(record);
  const config::Node* weight = config::select(training, "training.causal_weight");
  if (weight == nullptr) return 0;
  if (weight->is_integer()) return static_cast<double>(weight->as_integer());
  return weight->is_real() ? weight->as_real() : 0;
}

}  // namespace

std::string causal_mode_warning(const Session& session) {
  if (!session.config().sampler->causal() || session.model().exact != nullptr ||
      recorded_causal_weight(session.model().folder) > 0)
    return "";
  return fmt::format(
      "warning: nothing says that the causal mode of {} was trained to predict (its training.yaml would have "
      "training.causal_weight); what sampler=autoregressive makes of it may say nothing about the model\n",
      session.model().folder.string());
}

CausalJudge::CausalJudge(const Session& session)
    : session_(session), trained_(recorded_causal_weight(session.model().folder) > 0) {}

std::optional<double> CausalJudge::nats(std::span<const TokenId> prompt,
                                        std::span<const TokenId> answer) const {
  if (!trained_ || prompt.empty() || answer.empty()) return std::nullopt;
  const Denoiser& denoiser = *session_.model().denoiser;
  const Prompt before{.tokens = prompt.first(prompt.size() - 1)};
  const auto context = denoiser.prefill({&before, 1});
  std::vector<TokenId> read{prompt.back()};
  read.insert(read.end(), answer.begin(), answer.end() - 1);
  const RowQuery query{.context = context.front().get(), .canvas = read, .uniforms = {}, .given = answer};
  const std::vector<TokenId> suppressed = session_.config().noise->suppressed(session_.model().vocabulary);
  const PassOptions options{
      .suppressed = suppressed, .self_conditioning = SelfConditioning::kOff, .filter = {}};
  const Prediction prediction = denoiser.predict_next({&query, 1}, options).front();
  double sum = 0;
  for (const float probability : prediction.sampled_probability)
    sum -= std::log(std::max(probability, std::numeric_limits<float>::min()));
  return sum / static_cast<double>(answer.size());
}

}  // namespace canvaslab
