#include "models/uniform_elbo.h"

#include <cmath>

#include "models/differentiable.h"

namespace canvaslab {
namespace {

// Everything is told in units of 1 - alpha: with c = K alpha / (1 - alpha),
//   a_v = (1 - alpha) (1 + c p_v),  A_v = log(1 + c p_v),  y = [z = x],  K / (1 - alpha) = K + c,
//   L = (r / K) { (K + c) (1 / (1 + c p_z) - 1 / (1 + c y))
//                 + ((1 + c) log(1 + c) - sum_v A_v - c A_x + (K + c) (A_z - y log(1 + c))) / (1 + c y) }
// Its terms of first order in c cancel as alpha goes to 0 and r grows; in this form they do so without losing
// digits, since A_v and what stands beside it come from the same p_v.
struct Terms {
  std::int64_t ids;                // K
  at::Tensor same, factor, scale;  // float64 [N]: y, c, r / K

  Terms(const UniformElboPositions& positions, std::int64_t vocabulary)
      : ids(vocabulary),
        same((positions.clean == positions.noisy).to(at::kDouble)),
        factor(positions.survival * ids / (1 - positions.survival)),
        scale(positions.rate / positions.survival / ids) {}

  at::Tensor weight() const { return factor + ids; }    // K + c
  at::Tensor own() const { return 1 + factor * same; }  // 1 + c y
};

struct Bound {
  Terms terms;
  TiledSoftmax softmax;
  at::Tensor clean, noisy, shift;  // [N]; the shift in float32

  Bound(const UniformElboPositions& positions, std::int64_t vocabulary, const TiledSoftmax& tiles)
      : terms(positions, vocabulary),
        softmax(tiles),
        clean(positions.clean),
        noisy(positions.noisy),
        shift(positions.current_shift.to(at::kFloat)) {}

  // From logits of the full posterior to those of the leave-one-out prediction.
  void leave_one_out(LossTile& tile) const {
    const IdsInTile in(noisy, tile.first, tile.entries);
    tile.logits.index_put_({in.positions, in.columns}, shift.index_select(0, in.positions),
                           /*accumulate=*/true);
  }

  // c p_v of a tile, float32.
  at::Tensor scaled(LossTile& tile, const at::Tensor& log_mass) const {
    leave_one_out(tile);
    return at::exp(tile.logits - log_mass.unsqueeze(1)) * terms.factor.to(at::kFloat).unsqueeze(1);
  }

  // What the gradient needs of the forward passes: the logarithm of the mass, float32 [N], and float64 [N]
  // c p_x, c p_z and sum_v c p_v / (1 + c p_v).
  struct Kept {
    at::Tensor log_mass, at_clean, at_noisy, ratios;
  };

  at::Tensor loss(const at::Tensor& hidden, const at::Tensor& output, Kept& kept) const {
    RunningMass mass(hidden.size(0));
    softmax.each(hidden, output, [&](LossTile& tile) {
      leave_one_out(tile);
      mass.add(tile.logits);
    });
    kept.log_mass = mass.log();
    kept.at_clean = at::zeros({hidden.size(0)}, at::kDouble);
    kept.at_noisy = at::zeros_like(kept.at_clean), kept.ratios = at::zeros_like(kept.at_clean);
    at::Tensor logarithms = at::zeros_like(kept.at_clean);  // sum_v A_v
    softmax.each(hidden, output, [&](LossTile& tile) {
      const at::Tensor cp = scaled(tile, kept.log_mass);
      logarithms += at::log1p(cp).sum(1);
      kept.ratios += (cp / (1 + cp)).sum(1);
      const auto pick = [&](const at::Tensor& ids, at::Tensor& into) {
        const IdsInTile in(ids, tile.first, tile.entries);
        into.index_copy_(0, in.positions, cp.index({in.positions, in.columns}).to(at::kDouble));
      };
      pick(clean, kept.at_clean), pick(noisy, kept.at_noisy);
    });
    const at::Tensor& c = terms.factor;
    const at::Tensor top = at::log1p(c), own = terms.own();
    const at::Tensor jumps = (1 + c) * top - logarithms - c * at::log1p(kept.at_clean) +
                             terms.weight() * (at::log1p(kept.at_noisy) - terms.same * top);
    const at::Tensor rates = terms.weight() * (1 / (1 + kept.at_noisy) - 1 / own);
    return (terms.scale * (rates + jumps / own)).to(at::kFloat);
  }

  // With u_v = c p_v / (1 + c p_v), p_v dL / dp_v is (r / K) / (1 + c y) times
  //   -u_v - [v = x] c u_x + [v = z] (K + c) (u_z - u_z (1 + c y) / (1 + c p_z))
  // and d L / d logit is that, less p_v times its sum over v.
  std::vector<at::Tensor> gradient(const at::Tensor& hidden, const at::Tensor& output, const Kept& kept,
                                   const at::Tensor& incoming) const {
    const at::Tensor own = terms.own();
    const at::Tensor scale = terms.scale / own * incoming.to(at::kDouble);
    const at::Tensor by_clean = -terms.factor * kept.at_clean / (1 + kept.at_clean);
    const at::Tensor noisy_plus = 1 + kept.at_noisy;
    const at::Tensor by_noisy = terms.weight() * (kept.at_noisy / noisy_plus) * (1 - own / noisy_plus);
    // per c p_v
    const at::Tensor sum = (scale * (by_clean + by_noisy - kept.ratios) / terms.factor).to(at::kFloat);
    const auto narrow = [&](const at::Tensor& x) { return (scale * x).to(at::kFloat); };
    const at::Tensor each = narrow(at::ones_like(scale)), at_clean = narrow(by_clean),
                     at_noisy = narrow(by_noisy);
    return softmax.gradient(hidden, output, [&](LossTile& tile) {
      const at::Tensor cp = scaled(tile, kept.log_mass);
      at::Tensor by_logit = -cp / (1 + cp) * each.unsqueeze(1) - cp * sum.unsqueeze(1);
      const auto put = [&](const at::Tensor& ids, const at::Tensor& values) {
        const IdsInTile in(ids, tile.first, tile.entries);
        by_logit.index_put_({in.positions, in.columns}, values.index_select(0, in.positions),
                            /*accumulate=*/true);
      };
      put(clean, at_clean), put(noisy, at_noisy);
      return by_logit;
    });
  }
};

}  // namespace

at::Tensor uniform_elbo(const at::Tensor& hidden, const at::Tensor& output,
                        const UniformElboPositions& positions, const VocabularyLossOptions& options) {
  const Bound bound(positions, output.size(0), options.softmax());
  return differentiable(
      {hidden, output},
      [&](std::vector<at::Tensor>& kept) {
        Bound::Kept numbers;
        const at::Tensor loss = bound.loss(hidden, output, numbers);
        kept = {hidden, output, numbers.log_mass, numbers.at_clean, numbers.at_noisy, numbers.ratios};
        return loss;
      },
      [bound](const std::vector<at::Tensor>& kept, const at::Tensor& incoming, const std::vector<bool>&) {
        return bound.gradient(kept[0], kept[1], {kept[2], kept[3], kept[4], kept[5]}, incoming);
      });
}

at::Tensor uniform_elbo_reference(const at::Tensor& hidden, const at::Tensor& output,
                                  const UniformElboPositions& positions,
                                  const VocabularyLossOptions& options) {
  const auto ids = static_cast<double>(output.size(0));
  const at::Tensor x = positions.clean.unsqueeze(1), z = positions.noisy.unsqueeze(1);
  const at::Tensor alpha = positions.survival.unsqueeze(1);
  at::Tensor logits = at::matmul(hidden.to(at::kDouble), output.to(at::kDouble).t());
  if (options.softcap) logits = at::tanh(logits / *options.softcap) * *options.softcap;
  logits = logits.scatter_add(1, z, positions.current_shift.unsqueeze(1));
  at::Tensor outside = at::zeros({output.size(0)}, at::kBool);
  for (const TokenId id : options.suppressed) outside[id] = true;
  const at::Tensor p = at::softmax(logits.masked_fill(outside, -INFINITY), 1);
  const at::Tensor a = ids * alpha * p + 1 - alpha;
  const at::Tensor b = ids * alpha * at::zeros_like(p).scatter(1, x, 1) + 1 - alpha;
  const at::Tensor a_z = a.gather(1, z), b_z = b.gather(1, z);
  const at::Tensor divergence = (b / b_z * at::log(b * a_z / (b_z * a))).sum(1);
  return positions.rate / positions.survival / ids * ((ids / a_z - ids / b_z).squeeze(1) + divergence);
}

}  // namespace canvaslab
