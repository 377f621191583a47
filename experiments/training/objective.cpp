#include "experiments/training/objective.h"

#include <c10/core/GradMode.h>

#include <algorithm>

#include "models/vocabulary_loss.h"

namespace canvaslab {
namespace {

using gemma4::Gemma4Denoiser;
using gemma4::Gemma4Row;

// Collects the routers' choices of every pass.
class RoutingBalance : public gemma4::LayerObserver {
 public:
  void hidden(int /*index*/, const at::Tensor& /*state*/) override {}

  void routing(int /*layer*/, const gemma4::Routing& routing) override {
    const std::int64_t experts = routing.probabilities.size(1);
    const at::Tensor share = at::bincount(routing.indices.reshape({-1}), {}, experts).to(at::kFloat) /
                             static_cast<double>(routing.indices.numel());
    terms_.push_back((share * routing.probabilities.mean(0)).sum() * static_cast<double>(experts));
  }

  at::Tensor mean() const { return at::stack(terms_).mean(); }

 private:
  std::vector<at::Tensor> terms_;
};

std::vector<std::span<const TokenId>> spans(std::span<const TrainingRow> rows,
                                            std::vector<TokenId> TrainingRow::*part) {
  std::vector<std::span<const TokenId>> all;
  for (const TrainingRow& row : rows) all.emplace_back(row.*part);
  return all;
}

// The rows' contexts, with pointers to them as the denoiser's passes take them.
struct Contexts {
  std::vector<Gemma4Row> rows;
  std::vector<Gemma4Row*> pointers;

  explicit Contexts(std::vector<Gemma4Row> from) : rows(std::move(from)) {
    for (Gemma4Row& row : rows) pointers.push_back(&row);
  }
  Contexts(const Contexts& other) : Contexts(other.rows) {}
  Contexts& operator=(const Contexts&) = delete;
};

at::Tensor indices(const std::vector<std::int64_t>& values) {
  return at::tensor(values, at::kLong);
}

// Gives the rows that are conditioned the first prediction's soft embedding. Without gradient.
void condition(const Gemma4Denoiser& denoiser, std::span<const TrainingRow> rows,
               std::span<const TokenId> suppressed, Contexts& contexts) {
  const c10::NoGradGuard no_gradient;
  std::vector<Gemma4Row*> chosen;
  std::vector<std::span<const TokenId>> canvases;
  std::vector<TokenId> current;
  for (size_t r = 0; r < rows.size(); ++r) {
    if (!rows[r].conditioned) continue;
    chosen.push_back(contexts.pointers[r]);
    canvases.emplace_back(rows[r].noisy);
    current.insert(current.end(), rows[r].noisy.begin(), rows[r].noisy.end());
  }
  if (chosen.empty()) return;
  const at::Tensor hidden = denoiser.denoise_pass(chosen, canvases, nullptr);
  const std::vector<float> temperature(current.size(), 1.0F);
  const std::vector<double> uniforms(current.size(), 0.5);
  HeadQuery query{.temperature = temperature,
                  .current = current,
                  .uniforms = uniforms,
                  .given = {},
                  .suppressed = suppressed,
                  .self_conditioning = SelfConditioning::kRaw};
  const at::Tensor soft = denoiser.head()(hidden, query).soft_embedding;
  std::int64_t begin = 0;
  for (size_t r = 0; r < chosen.size(); ++r) {
    const auto length = static_cast<std::int64_t>(canvases[r].size());
    chosen[r]->soft_embedding = soft.narrow(0, begin, length);
    begin += length;
  }
}

}  // namespace

BatchTotals::BatchTotals(std::span<const TrainingRow> all, Weighting weighting) {
  for (const TrainingRow& row : all) {
    denoising += weighting == Weighting::kInverseTime
                     ? static_cast<double>(row.clean.size())
                     : static_cast<double>(std::count(row.counted.begin(), row.counted.end(), 1));
    causal += static_cast<double>(row.prompt.size()) - 1 + static_cast<double>(row.spoken);
  }
  denoising = std::max(denoising, 1.0), causal = std::max(causal, 1.0);
  rows = static_cast<double>(all.size());
}

Losses Objective::operator()(std::span<const TrainingRow> rows, const BatchTotals& totals) const {
  const VocabularyLossOptions options{.softcap = denoiser.backbone().config().final_logit_softcapping,
                                      .suppressed = suppressed};
  const at::Tensor& output = denoiser.head().output();
  RoutingBalance balance;
  Contexts contexts(std::vector<Gemma4Row>(rows.size()));
  for (Gemma4Row& row : contexts.rows) row.cache.layers.resize(denoiser.backbone().config().layers.size());
  const at::Tensor prompt_hidden =
      denoiser.prefill_pass(contexts.pointers, spans(rows, &TrainingRow::prompt), &balance);

  Losses losses;
  losses.causal = at::zeros({}, at::kFloat);
  if (config.causal_weight > 0) {
    Contexts with_answer(contexts);
    const at::Tensor answer_hidden =
        denoiser.prefill_pass(with_answer.pointers, spans(rows, &TrainingRow::clean), &balance);
    // Every token is predicted from the one before it; the answer's first from the prompt's last.
    std::vector<std::int64_t> from, targets;
    std::int64_t prompt_at = 0, answer_at = prompt_hidden.size(0);
    for (const TrainingRow& row : rows) {
      for (size_t i = 1; i < row.prompt.size(); ++i) {
        from.push_back(prompt_at + static_cast<std::int64_t>(i) - 1);
        targets.push_back(row.prompt[i]);
      }
      prompt_at += static_cast<std::int64_t>(row.prompt.size());
      for (std::int64_t i = 0; i < row.spoken; ++i) {
        from.push_back(i == 0 ? prompt_at - 1 : answer_at + i - 1);
        targets.push_back(row.clean[static_cast<size_t>(i)]);
      }
      answer_at += static_cast<std::int64_t>(row.clean.size());
    }
    const at::Tensor hidden = at::cat({prompt_hidden, answer_hidden}).index_select(0, indices(from));
    losses.causal = vocabulary_loss(hidden, output, indices(targets), options).sum() / totals.causal;
  }

  condition(denoiser, rows, suppressed, contexts);
  const at::Tensor hidden =
      denoiser.denoise_pass(contexts.pointers, spans(rows, &TrainingRow::noisy), &balance);
  std::vector<std::int64_t> counted, targets;
  std::vector<float> weights;
  std::int64_t position = 0;
  for (const TrainingRow& row : rows) {
    for (size_t i = 0; i < row.clean.size(); ++i, ++position) {
      if (row.counted[i] == 0) continue;
      counted.push_back(position), targets.push_back(row.clean[i]);
      weights.push_back(config.weighting == Weighting::kInverseTime ? static_cast<float>(1 / row.time)
                                                                    : 1.0F);
    }
  }
  losses.denoising =
      (vocabulary_loss(hidden.index_select(0, indices(counted)), output, indices(targets), options) *
       at::tensor(weights))
          .sum() /
      totals.denoising;
  losses.balance = balance.mean() * (static_cast<double>(rows.size()) / totals.rows);
  return losses;
}

}  // namespace canvaslab
