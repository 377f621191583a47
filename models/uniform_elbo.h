// The likelihood bound of diffusion with uniform noise, with its gradient, in passes over tiles of the
// vocabulary.
//
// Noise makes a token a random one of the K = V ids at rate r = -alpha' / alpha, each id at r / K, so that
//   q(z | x) = b_z / K,  b_v = K alpha [v = x] + 1 - alpha.
// In reversed time a token z jumps to v at rate (r / K) b_v / b_z where x is known, and the model lets it
// jump at (r / K) a_v / a_z, where a_v = K alpha p_v + 1 - alpha comes from its leave-one-out prediction p_v
// = p(x = v | z without this position). The negative ELBO, integrated over time and summed over positions, is
// the Kullback-Leibler divergence of these jump processes, whose rates u (true) and w (model) contribute u
// log(u / w) - u + w. With sum a = sum b = K:
//   L = (r / K) [ K / a_z - K / b_z + sum_v (b_v / b_z) log((b_v a_z) / (b_z a_v)) ]
// It is never negative, and 0 where p is certain of x. UDLM, arXiv 2412.10193; Duo, arXiv 2506.10892.
#pragma once

#include "models/vocabulary_loss.h"

namespace canvaslab {

// N positions of canvases between clean and noise.
struct UniformElboPositions {
  at::Tensor clean, noisy;  // int64 [N]: x and z
  at::Tensor survival;      // float64 [N]: alpha, in (0, 1)
  at::Tensor rate;          // float64 [N]: -alpha'
  // float64 [N]: what is to be added to the logit of `noisy`, to take out of the full posterior p(x | z) that
  // the softmax is what the position's own token says (NoiseProcess::leave_one_out_shift).
  at::Tensor current_shift;
};

// L in nats a unit of time, float32 [N], for hidden [N, H] and output projection [V, H]; differentiable by
// both.
at::Tensor uniform_elbo(const at::Tensor& hidden, const at::Tensor& output,
                        const UniformElboPositions& positions, const VocabularyLossOptions& options);

// The same straight from the definition, in float64 [N], with [N, V] tensors: the test's reference.
at::Tensor uniform_elbo_reference(const at::Tensor& hidden, const at::Tensor& output,
                                  const UniformElboPositions& positions,
                                  const VocabularyLossOptions& options);

}  // namespace canvaslab
