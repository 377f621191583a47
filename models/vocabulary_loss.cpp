#include "models/vocabulary_loss.h"

#include <algorithm>
#include <cmath>

#include "models/differentiable.h"
#include "models/numeric.h"

namespace canvaslab {
namespace {

// One tile's logits, float32 [N, entries]: capped and suppressed. `slope` becomes d logit / d (h O^T).
at::Tensor tile_logits(const at::Tensor& hidden, const at::Tensor& rows, double cap, at::Tensor* slope) {
  at::Tensor z = project(hidden, rows).to(at::kFloat);
  if (cap <= 0) return z;
  const at::Tensor t = at::tanh(z / cap);
  if (slope != nullptr) *slope = 1 - t.square();
  return t * cap;
}

void suppress(at::Tensor& z, std::span<const std::int64_t> ids, std::int64_t first) {
  for (const std::int64_t id : ids) {
    if (id >= first && id < first + z.size(1)) z.select(1, id - first).fill_(-INFINITY);
  }
}

// Which positions' targets lie in the tile [first, first + entries), and where in it.
struct TargetsInTile {
  at::Tensor positions, columns;  // int64 [n]

  TargetsInTile(const at::Tensor& targets, std::int64_t first, std::int64_t entries) {
    positions = at::nonzero((targets >= first) & (targets < first + entries)).squeeze(1);
    columns = targets.index_select(0, positions) - first;
  }
};

struct Softmax {
  std::vector<std::int64_t> suppressed;
  double cap;
  std::int64_t tile;

  // -log p(targets), and the logarithm of the whole mass; float32 [N].
  std::pair<at::Tensor, at::Tensor> loss(const at::Tensor& hidden, const at::Tensor& output,
                                         const at::Tensor& targets) const {
    const std::int64_t count = hidden.size(0), vocabulary = output.size(0);
    at::Tensor maximum = at::full({count}, -INFINITY, at::kFloat), mass = at::zeros({count}, at::kFloat),
               target = at::zeros({count}, at::kFloat);
    for (std::int64_t first = 0; first < vocabulary; first += tile) {
      const std::int64_t entries = std::min(tile, vocabulary - first);
      at::Tensor z = tile_logits(hidden, output.narrow(0, first, entries), cap, nullptr);
      suppress(z, suppressed, first);
      const at::Tensor higher = at::maximum(maximum, std::get<0>(z.max(1)));
      const at::Tensor reference = at::where(at::isinf(higher), at::zeros_like(higher), higher);
      mass = mass * at::exp(maximum - reference) + at::exp(z - reference.unsqueeze(1)).sum(1);
      maximum = higher;
      const TargetsInTile in(targets, first, entries);
      target.index_copy_(0, in.positions, z.index({in.positions, in.columns}));
    }
    const at::Tensor log_mass = maximum + at::log(mass);
    return {log_mass - target, log_mass};
  }

  // d loss / d logit = p - [v = target], by the same tiles again.
  std::vector<at::Tensor> gradient(const at::Tensor& hidden, const at::Tensor& output,
                                   const at::Tensor& targets, const at::Tensor& log_mass,
                                   const at::Tensor& incoming) const {
    const std::int64_t vocabulary = output.size(0);
    at::Tensor by_hidden = at::zeros(hidden.sizes(), at::kFloat),
               by_output = at::zeros(output.sizes(), at::kFloat);
    const at::Tensor wide_hidden = hidden.to(at::kFloat);
    for (std::int64_t first = 0; first < vocabulary; first += tile) {
      const std::int64_t entries = std::min(tile, vocabulary - first);
      const at::Tensor rows = output.narrow(0, first, entries);
      at::Tensor slope;
      at::Tensor z = tile_logits(hidden, rows, cap, &slope);
      suppress(z, suppressed, first);
      at::Tensor by_logit = at::exp(z - log_mass.unsqueeze(1));
      const TargetsInTile in(targets, first, entries);
      by_logit.index_put_({in.positions, in.columns}, at::scalar_tensor(-1.0F), /*accumulate=*/true);
      by_logit.mul_(incoming.unsqueeze(1));
      if (slope.defined()) by_logit.mul_(slope);
      by_hidden.addmm_(by_logit, rows.to(at::kFloat));
      by_output.narrow(0, first, entries).addmm_(by_logit.t(), wide_hidden);
    }
    return {by_hidden.to(hidden.scalar_type()), by_output.to(output.scalar_type())};
  }
};

}  // namespace

at::Tensor vocabulary_loss(const at::Tensor& hidden, const at::Tensor& output, const at::Tensor& targets,
                           const VocabularyLossOptions& options) {
  const Softmax softmax{
      {options.suppressed.begin(), options.suppressed.end()}, options.softcap.value_or(0), options.tile};
  return differentiable(
      {hidden, output},
      [&](std::vector<at::Tensor>& kept) {
        const auto [loss, log_mass] = softmax.loss(hidden, output, targets);
        kept = {hidden, output, targets, log_mass};
        return loss;
      },
      [softmax](const std::vector<at::Tensor>& kept, const at::Tensor& incoming, const std::vector<bool>&) {
        return softmax.gradient(kept[0], kept[1], kept[2], kept[3], incoming.to(at::kFloat));
      });
}

at::Tensor vocabulary_loss_reference(const at::Tensor& hidden, const at::Tensor& output,
                                     const at::Tensor& targets, const VocabularyLossOptions& options) {
  at::Tensor z = project(hidden, output).to(at::kFloat);
  if (options.softcap) z = at::tanh(z / *options.softcap) * *options.softcap;
  if (!options.suppressed.empty()) {
    at::Tensor outside = at::zeros({output.size(0)}, at::kBool);
    for (const TokenId id : options.suppressed) outside[id] = true;
    z = z.masked_fill(outside, -INFINITY);
  }
  return -at::log_softmax(z, -1).gather(-1, targets.unsqueeze(-1)).squeeze(-1);
}

}  // namespace canvaslab
