#include "experiments/training/objective.h"

#include <c10/core/GradMode.h>

#include <algorithm>

#include "models/uniform_elbo.h"

namespace canvaslab {
namespace {

using gemma4::Gemma4Denoiser;
using gemma4::RowCache;
using gemma4::Segment;

// Adds up the routers' choices, pass by pass.
class RoutingSummary : public gemma4::LayerObserver {
 public:
  void hidden(int /*index*/, const at::Tensor& /*state*/) override {}

  void routing(int /*layer*/, const gemma4::Routing& routing) override {
    const std::int64_t experts = routing.probabilities.size(1);
    counts_.push_back(at::bincount(routing.indices.reshape({-1}), {}, experts).to(at::kDouble));
    probabilities_.push_back(routing.probabilities.sum(0));
  }

  RoutingSums sums() const { return {at::stack(counts_), at::stack(probabilities_)}; }

 private:
  std::vector<at::Tensor> counts_, probabilities_;
};

at::Tensor indices(const std::vector<std::int64_t>& values) {
  return at::tensor(values, at::kLong);
}

// Token lists one after another, and where each begins.
struct Packed {
  std::vector<std::int64_t> tokens, begin;

  void add(std::span<const TokenId> some) {
    begin.push_back(static_cast<std::int64_t>(tokens.size()));
    tokens.insert(tokens.end(), some.begin(), some.end());
  }
};

// The rows' caches after their prompts: a joint one where their prompts are equally long, which is faster.
class PromptCaches {
 public:
  PromptCaches(std::span<const TrainingRow> rows, size_t layers) {
    const bool joint = std::all_of(rows.begin(), rows.end(), [&](const TrainingRow& row) {
      return row.prompt.size() == rows[0].prompt.size();
    });
    caches_.resize(joint ? 1 : rows.size());
    for (RowCache& cache : caches_) cache.layers.resize(layers), cache.joint = joint;
  }

  RowCache& of(size_t row) { return caches_[caches_[0].joint ? 0 : row]; }

  // Of the rows in `chosen`, without gradient.
  PromptCaches part(const std::vector<std::int64_t>& chosen) const {
    PromptCaches some;
    if (!caches_[0].joint) {
      for (const std::int64_t row : chosen) some.caches_.push_back(caches_[static_cast<size_t>(row)]);
      return some;
    }
    some.caches_ = caches_;
    const at::Tensor which = indices(chosen);
    for (gemma4::LayerCache& layer : some.caches_[0].layers)
      layer.key = layer.key.index_select(0, which), layer.value = layer.value.index_select(0, which);
    return some;
  }

 private:
  PromptCaches() = default;

  std::vector<RowCache> caches_;
};

// The causal mode over prompt and answer in one pass; the prompts stay in the caches. The answer's last token
// predicts nothing, so it is not read.
struct CausalPass {
  Packed packed;
  at::Tensor hidden;

  CausalPass(const Gemma4Denoiser& denoiser, std::span<const TrainingRow> rows, bool with_answers,
             PromptCaches& caches, RoutingSummary& routing) {
    std::vector<Segment> segments;
    for (size_t r = 0; r < rows.size(); ++r) {
      std::vector<TokenId> tokens = rows[r].prompt;
      if (with_answers) tokens.insert(tokens.end(), rows[r].clean.begin(), rows[r].clean.end() - 1);
      packed.add(tokens);
      segments.push_back({.begin = packed.begin.back(),
                          .length = static_cast<std::int64_t>(tokens.size()),
                          .cache = &caches.of(r),
                          .kept = static_cast<std::int64_t>(rows[r].prompt.size())});
    }
    hidden = denoiser.prefill_pass(indices(packed.tokens), segments, &routing);
  }
};

at::Tensor denoise(const Gemma4Denoiser& denoiser, std::span<const TrainingRow* const> rows,
                   const at::Tensor& soft_embedding, PromptCaches& caches, RoutingSummary* routing) {
  Packed packed;
  std::vector<Segment> segments;
  for (size_t r = 0; r < rows.size(); ++r) {
    packed.add(rows[r]->noisy);
    segments.push_back({.begin = packed.begin.back(),
                        .length = static_cast<std::int64_t>(rows[r]->noisy.size()),
                        .cache = &caches.of(r)});
  }
  return denoiser.denoise_pass(indices(packed.tokens), soft_embedding, segments, routing);
}

// What the denoising pass is conditioned on, [B * L, hidden]: the first prediction's soft embedding in the
// rows that are conditioned, else zeros. Without gradient.
at::Tensor first_prediction(const Gemma4Denoiser& denoiser, std::span<const TrainingRow> rows,
                            std::span<const TokenId> suppressed, const PromptCaches& caches) {
  const c10::NoGradGuard no_gradient;
  const auto width = denoiser.backbone().config().hidden_size;
  std::vector<std::int64_t> chosen, positions;
  std::vector<const TrainingRow*> conditioned;
  std::vector<TokenId> current;
  std::int64_t position = 0;
  for (size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].conditioned) {
      chosen.push_back(static_cast<std::int64_t>(r)), conditioned.push_back(&rows[r]);
      current.insert(current.end(), rows[r].noisy.begin(), rows[r].noisy.end());
      for (size_t i = 0; i < rows[r].noisy.size(); ++i)
        positions.push_back(position + static_cast<std::int64_t>(i));
    }
    position += static_cast<std::int64_t>(rows[r].noisy.size());
  }
  const at::Tensor all = at::zeros({position, width}, at::TensorOptions(denoiser.backbone().type()));
  if (chosen.empty()) return all;
  PromptCaches some = caches.part(chosen);
  const auto zeros = at::zeros({static_cast<std::int64_t>(current.size()), width}, all.options());
  const at::Tensor hidden = denoise(denoiser, conditioned, zeros, some, nullptr);
  const std::vector<float> temperature(current.size(), 1.0F);
  const std::vector<double> uniforms(current.size(), 0.5);
  const HeadQuery query{.temperature = temperature,
                        .current = current,
                        .uniforms = uniforms,
                        .given = {},
                        .suppressed = suppressed,
                        .self_conditioning = SelfConditioning::kRaw};
  return all.index_copy(0, indices(positions), denoiser.head()(hidden, query).soft_embedding);
}

// Every token is predicted from the one before it; the answer's first from the prompt's last.
at::Tensor causal_loss(const CausalPass& pass, std::span<const TrainingRow> rows, const at::Tensor& output,
                       const VocabularyLossOptions& options) {
  std::vector<std::int64_t> from, targets;
  for (size_t r = 0; r < rows.size(); ++r) {
    const auto prompt = static_cast<std::int64_t>(rows[r].prompt.size());
    for (std::int64_t i = 1; i < prompt + rows[r].spoken; ++i) {
      from.push_back(pass.packed.begin[r] + i - 1);
      targets.push_back(i < prompt ? rows[r].prompt[static_cast<size_t>(i)]
                                   : rows[r].clean[static_cast<size_t>(i - prompt)]);
    }
  }
  return vocabulary_loss(pass.hidden.index_select(0, indices(from)), output, indices(targets), options).sum();
}

// The positions that the denoising loss counts, N of them, and what it needs to know of each.
struct CountedPositions {
  std::vector<std::int64_t> places, clean, noisy;  // places: in the packed canvases
  std::vector<const TrainingRow*> rows;

  explicit CountedPositions(std::span<const TrainingRow> all) {
    std::int64_t place = 0;
    for (const TrainingRow& row : all) {
      for (size_t i = 0; i < row.clean.size(); ++i, ++place) {
        if (row.counted[i] == 0) continue;
        places.push_back(place), clean.push_back(row.clean[i]), noisy.push_back(row.noisy[i]);
        rows.push_back(&row);
      }
    }
  }

  // One value a position: value(row), float64 [N].
  template <class Value>
  at::Tensor each(const Value& value) const {
    std::vector<double> values;
    for (const TrainingRow* row : rows) values.push_back(value(*row));
    return at::tensor(values, at::kDouble);
  }
};

double weight_of(const TrainingRow& row, Weighting weighting) {
  switch (weighting) {
    case Weighting::kNone:
      return 1;
    case Weighting::kInverseTime:
      return 1 / row.time;
    case Weighting::kElbo:
      return row.rate / (1 - row.survival);
  }
  return 1;
}

// A sum over the counted positions.
at::Tensor denoising_loss(const at::Tensor& hidden, std::span<const TrainingRow> rows,
                          const Objective& objective, const VocabularyLossOptions& options) {
  const CountedPositions counted(rows);
  const at::Tensor states = hidden.index_select(0, indices(counted.places));
  const at::Tensor& output = objective.denoiser.head().output();
  const Weighting weighting = objective.config.weighting;
  if (weighting == Weighting::kElbo && objective.noise.elbo_form() == ElboForm::kJumpRates) {
    const auto shift = [&](const TrainingRow& row) {
      return *objective.noise.leave_one_out_shift(row.survival, objective.vocabulary);
    };
    const UniformElboPositions positions{
        .clean = indices(counted.clean),
        .noisy = indices(counted.noisy),
        .survival = counted.each([](const TrainingRow& row) { return row.survival; }),
        .rate = counted.each([](const TrainingRow& row) { return row.rate; }),
        .current_shift = counted.each(shift)};
    return uniform_elbo(states, output, positions, options).sum();
  }
  const at::Tensor weights =
      counted.each([&](const TrainingRow& row) { return weight_of(row, weighting); }).to(at::kFloat);
  return (vocabulary_loss(states, output, indices(counted.clean), options) * weights).sum();
}

}  // namespace

BatchTotals::BatchTotals(std::span<const TrainingRow> all, Weighting weighting) {
  for (const TrainingRow& row : all) {
    denoising += weighting == Weighting::kNone
                     ? static_cast<double>(std::count(row.counted.begin(), row.counted.end(), 1))
                     : static_cast<double>(row.clean.size());
    causal += static_cast<double>(row.prompt.size()) - 1 + static_cast<double>(row.spoken);
  }
  rows = static_cast<double>(all.size());
}

void BatchTotals::sum(const Processes& processes) {
  at::Tensor all = at::tensor({denoising, causal, rows}, at::kDouble);
  processes.sum(all);
  denoising = all[0].item<double>(), causal = all[1].item<double>(), rows = all[2].item<double>();
}

at::Tensor balance_loss(const RoutingSums& part, const at::Tensor& counts, std::int64_t experts_per_token) {
  const auto experts = static_cast<double>(counts.size(1));
  const at::Tensor choices = counts.sum(1, /*keepdim=*/true);
  // share / tokens, both of the whole batch
  const at::Tensor weight =
      (counts / choices / (choices / static_cast<double>(experts_per_token))).to(at::kFloat);
  return (weight * part.probabilities).sum(1).mean() * experts;
}

Losses Objective::operator()(std::span<const TrainingRow> rows, const BatchTotals& totals) const {
  const Gemma4Config& model = denoiser.backbone().config();
  const std::vector<TokenId> suppressed = noise.suppressed(vocabulary);
  const VocabularyLossOptions options{.softcap = model.final_logit_softcapping, .suppressed = suppressed};
  RoutingSummary routing;
  PromptCaches caches(rows, model.layers.size());
  const bool causal = config.causal_weight > 0;
  const CausalPass pass(denoiser, rows, causal, caches, routing);
  std::vector<const TrainingRow*> all;
  for (const TrainingRow& row : rows) all.push_back(&row);
  const at::Tensor hidden =
      denoise(denoiser, all, first_prediction(denoiser, rows, suppressed, caches), caches, &routing);
  Losses losses;
  losses.denoising = denoising_loss(hidden, rows, *this, options) / std::max(totals.denoising, 1.0);
  losses.causal =
      causal ? causal_loss(pass, rows, denoiser.head().output(), options) / std::max(totals.causal, 1.0)
             : at::zeros({}, at::kFloat);
  losses.routing = routing.sums();
  return losses;
}

}  // namespace canvaslab
