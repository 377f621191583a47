#include "models/vocabulary_loss.h"

#include <cmath>

#include "models/differentiable.h"
#include "models/loss_tiles.h"
#include "models/numeric.h"

namespace canvaslab {
namespace {

// -log p(targets), and the logarithm of the whole mass; float32 [N].
std::pair<at::Tensor, at::Tensor> cross_entropy(const TiledSoftmax& softmax, const at::Tensor& hidden,
                                                const at::Tensor& output, const at::Tensor& targets) {
  RunningMass mass(hidden.size(0));
  at::Tensor target = at::zeros({hidden.size(0)}, at::kFloat);
  softmax.each(hidden, output, [&](LossTile& tile) {
    mass.add(tile.logits);
    const IdsInTile in(targets, tile.first, tile.entries);
    target.index_copy_(0, in.positions, tile.logits.index({in.positions, in.columns}));
  });
  const at::Tensor log_mass = mass.log();
  return {log_mass - target, log_mass};
}

// d loss / d logit = p - [v = target], by the same tiles again.
std::vector<at::Tensor> cross_entropy_gradient(const TiledSoftmax& softmax, const at::Tensor& hidden,
                                               const at::Tensor& output, const at::Tensor& targets,
                                               const at::Tensor& log_mass, const at::Tensor& incoming) {
  return softmax.gradient(hidden, output, [&](LossTile& tile) {
    at::Tensor by_logit = at::exp(tile.logits - log_mass.unsqueeze(1));
    const IdsInTile in(targets, tile.first, tile.entries);
    by_logit.index_put_({in.positions, in.columns}, at::scalar_tensor(-1.0F), /*accumulate=*/true);
    return by_logit.mul_(incoming.unsqueeze(1));
  });
}

}  // namespace

at::Tensor vocabulary_loss(const at::Tensor& hidden, const at::Tensor& output, const at::Tensor& targets,
                           const VocabularyLossOptions& options) {
  const TiledSoftmax softmax = options.softmax();
  return differentiable(
      {hidden, output},
      [&](std::vector<at::Tensor>& kept) {
        const auto [loss, log_mass] = cross_entropy(softmax, hidden, output, targets);
        kept = {hidden, output, targets, log_mass};
        return loss;
      },
      [softmax](const std::vector<at::Tensor>& kept, const at::Tensor& incoming, const std::vector<bool>&) {
        return cross_entropy_gradient(softmax, kept[0], kept[1], kept[2], kept[3], incoming.to(at::kFloat));
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
