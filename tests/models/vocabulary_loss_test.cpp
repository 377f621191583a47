// The tiled loss and its gradient against the definition differentiated by LibTorch.
#include "models/vocabulary_loss.h"

#include <gtest/gtest.h>

namespace canvaslab {
namespace {

struct Gradients {
  at::Tensor loss, hidden, output;
};

using Loss = at::Tensor (*)(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                            const VocabularyLossOptions&);

Gradients differentiate(Loss loss, const at::Tensor& hidden, const at::Tensor& output,
                        const at::Tensor& targets, const at::Tensor& weights,
                        const VocabularyLossOptions& options) {
  const at::Tensor h = hidden.clone().set_requires_grad(true), o = output.clone().set_requires_grad(true);
  const at::Tensor values = loss(h, o, targets, options);
  (values * weights).sum().backward();
  return {values.detach(), h.grad(), o.grad()};
}

void expect_same(std::int64_t positions, std::int64_t vocabulary, double sharpness,
                 const VocabularyLossOptions& options) {
  at::manual_seed(positions + vocabulary);
  const at::Tensor hidden = at::randn({positions, 12}) * sharpness, output = at::randn({vocabulary, 12});
  at::Tensor targets = at::randint(0, vocabulary, {positions}, at::kLong);
  for (const TokenId id : options.suppressed) targets.masked_fill_(targets == id, vocabulary - 1);
  const at::Tensor weights = at::rand({positions});
  const Gradients mine = differentiate(vocabulary_loss, hidden, output, targets, weights, options);
  const Gradients theirs =
      differentiate(vocabulary_loss_reference, hidden, output, targets, weights, options);
  EXPECT_TRUE(at::allclose(mine.loss, theirs.loss, 1e-5, 1e-5));
  // Rounding is relative to the largest of the terms that a gradient sums up.
  const auto expect_close = [](const at::Tensor& a, const at::Tensor& b) {
    EXPECT_LE((a - b).abs().max().item<double>(), 1e-5 * std::max(1.0, b.abs().max().item<double>()));
  };
  expect_close(mine.hidden, theirs.hidden);
  expect_close(mine.output, theirs.output);
}

TEST(VocabularyLoss, AgreesWithTheDefinitionAtOddSizesAndTiles) {
  for (const std::int64_t vocabulary : {2, 7, 64, 65, 1000}) {
    for (const std::int64_t tile : {1, 7, 64, 4096}) {
      if (vocabulary / tile > 200) continue;
      for (const std::optional<double> cap : {std::optional<double>(), std::optional<double>(30.0)}) {
        for (const double sharpness : {0.1, 2.0, 20.0}) {
          SCOPED_TRACE(testing::Message() << vocabulary << " by " << tile << " at " << sharpness);
          expect_same(9, vocabulary, sharpness, {.softcap = cap, .suppressed = {}, .tile = tile});
        }
      }
    }
  }
}

TEST(VocabularyLoss, SuppressedTokensAreOutsideTheSoftmax) {
  const std::vector<TokenId> suppressed{0, 3, 4, 5};
  for (const std::int64_t tile : {1, 2, 3, 4096})
    expect_same(11, 20, 1.0, {.softcap = 30.0, .suppressed = suppressed, .tile = tile});
}

TEST(VocabularyLoss, TheGradientIsThatOfFiniteDifferences) {
  at::manual_seed(4);
  const at::Tensor hidden = at::randn({3, 4}), output = at::randn({6, 4});
  const at::Tensor targets = at::tensor(std::vector<std::int64_t>{5, 0, 2});
  const VocabularyLossOptions options{.softcap = 3.0, .suppressed = {}, .tile = 4};
  const Gradients mine = differentiate(vocabulary_loss, hidden, output, targets, at::ones({3}), options);
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t j = 0; j < 4; ++j) {
      const float step = 1e-2F;
      at::Tensor up = hidden.clone(), down = hidden.clone();
      up[i][j] += step, down[i][j] -= step;
      const double slope = (vocabulary_loss(up, output, targets, options).sum() -
                            vocabulary_loss(down, output, targets, options).sum())
                               .item<double>() /
                           (2 * step);
      EXPECT_NEAR(mine.hidden[i][j].item<double>(), slope, 2e-3);
    }
  }
}

}  // namespace
}  // namespace canvaslab
