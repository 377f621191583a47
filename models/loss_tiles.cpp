#include "models/loss_tiles.h"

#include <algorithm>
#include <cmath>

#include "models/numeric.h"

namespace canvaslab {

IdsInTile::IdsInTile(const at::Tensor& ids, std::int64_t first, std::int64_t entries) {
  positions = at::nonzero((ids >= first) & (ids < first + entries)).squeeze(1);
  columns = ids.index_select(0, positions) - first;
}

void TiledSoftmax::each(const at::Tensor& hidden, const at::Tensor& output,
                        const std::function<void(LossTile& tile)>& visit) const {
  const std::int64_t vocabulary = output.size(0);
  for (std::int64_t first = 0; first < vocabulary; first += tile) {
    LossTile now{first, std::min(tile, vocabulary - first), {}, {}};
    now.logits = project(hidden, output.narrow(0, first, now.entries)).to(at::kFloat);
    if (cap > 0) {
      const at::Tensor t = at::tanh(now.logits / cap);
      now.slope = 1 - t.square();
      now.logits = t * cap;
    }
    for (const std::int64_t id : suppressed) {
      if (id >= first && id < first + now.entries) now.logits.select(1, id - first).fill_(-INFINITY);
    }
    visit(now);
  }
}

std::vector<at::Tensor> TiledSoftmax::gradient(
    const at::Tensor& hidden, const at::Tensor& output,
    const std::function<at::Tensor(LossTile& tile)>& gradient) const {
  at::Tensor by_hidden = at::zeros(hidden.sizes(), at::kFloat),
             by_output = at::zeros(output.sizes(), at::kFloat);
  const at::Tensor wide_hidden = hidden.to(at::kFloat);
  each(hidden, output, [&](LossTile& now) {
    at::Tensor by_logit = gradient(now);
    if (now.slope.defined()) by_logit.mul_(now.slope);
    by_hidden.addmm_(by_logit, output.narrow(0, now.first, now.entries).to(at::kFloat));
    by_output.narrow(0, now.first, now.entries).addmm_(by_logit.t(), wide_hidden);
  });
  return {by_hidden.to(hidden.scalar_type()), by_output.to(output.scalar_type())};
}

RunningMass::RunningMass(std::int64_t positions)
    : maximum_(at::full({positions}, -INFINITY, at::kFloat)), mass_(at::zeros({positions}, at::kFloat)) {}

void RunningMass::add(const at::Tensor& logits) {
  const at::Tensor higher = at::maximum(maximum_, std::get<0>(logits.max(1)));
  const at::Tensor reference = at::where(at::isinf(higher), at::zeros_like(higher), higher);
  mass_ = mass_ * at::exp(maximum_ - reference) + at::exp(logits - reference.unsqueeze(1)).sum(1);
  maximum_ = higher;
}

}  // namespace canvaslab
