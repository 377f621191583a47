// A checkpoint with an lm_head of its own predicts with it. Truth: the same hidden states through a head that
// is twice the embedding give logits cap * tanh(2 atanh(l / cap)), where l are the tied model's.
#include <gtest/gtest.h>

#include "models/gemma4/padded_batch.h"
#include "tests/models/checkpoint/scratch_folder.h"

namespace canvaslab::gemma4 {
namespace {

at::Tensor logits_of(const Checkpoint& checkpoint, const at::Tensor& conditioning) {
  const Gemma4Denoiser denoiser(checkpoint, {});
  PaddedBatch batch(denoiser, {0});
  batch.prefill(at::arange(5, 9, at::kLong).unsqueeze(0), false);
  return batch.denoise(at::arange(40, 56, at::kLong).unsqueeze(0), conditioning, false).at("logits");
}

TEST(Untied, TheHeadOfItsOwnMakesTheLogits) {
  Checkpoint checkpoint = load_checkpoint(golden("text_fp32"));
  const double cap = checkpoint.config.final_logit_softcapping.value();
  at::manual_seed(1);
  const at::Tensor conditioning = at::randn({1, 16, checkpoint.config.vocab_size}) * 3;
  const at::Tensor tied = logits_of(checkpoint, conditioning);

  checkpoint.config.tie_word_embeddings = false;
  checkpoint.tensors["lm_head.weight"] = checkpoint.tensors.at("model.decoder.embed_tokens.weight") * 2;
  const at::Tensor untied = logits_of(checkpoint, conditioning);
  const at::Tensor expected = at::tanh(at::atanh(tied.to(at::kDouble) / cap) * 2) * cap;
  EXPECT_GT((untied - tied).abs().max().item<double>(), 1);
  EXPECT_LT((untied - expected).abs().max().item<double>(), 2e-3);
}

}  // namespace
}  // namespace canvaslab::gemma4
