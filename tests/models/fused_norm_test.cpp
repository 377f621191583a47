// The fused normalisation against plain tensor operations in float64.
#include "models/fused_norm.h"

#include <gtest/gtest.h>

#include "models/numeric.h"

namespace canvaslab {
namespace {

TEST(FusedNorm, AgreesWithTheDefinition) {
  at::manual_seed(1);
  for (const std::int64_t width : {1, 2, 15, 16, 17, 128, 2816}) {
    for (const bool weighted : {false, true}) {
      const at::Tensor x = at::randn({5, 3, width}) * 7, weight = at::randn({width});
      const at::Tensor wide = x.to(at::kDouble);
      at::Tensor expected = wide / (wide.square().mean(-1, true) + 1e-6).sqrt();
      if (weighted) expected = expected * weight.to(at::kDouble);
      ASSERT_TRUE(fused_rms_norm_applies(x, weighted ? weight : at::Tensor()));
      const at::Tensor mine = fused_rms_norm(x, weighted ? weight : at::Tensor(), 1e-6);
      EXPECT_TRUE(at::allclose(mine.to(at::kDouble), expected, 1e-5, 1e-6)) << width;
    }
  }
}

// The epsilon is inside the root: it matters for a tiny input.
TEST(FusedNorm, EpsilonIsInsideTheRoot) {
  const at::Tensor x = at::full({1, 4}, 1e-4);
  EXPECT_NEAR(fused_rms_norm(x, {}, 1e-6)[0][0].item<double>(), 1e-4 / std::sqrt(1e-8 + 1e-6), 1e-6);
}

TEST(FusedNorm, AZeroRowStaysFinite) {
  EXPECT_TRUE((fused_rms_norm(at::zeros({2, 8}), {}, 1e-6) == 0).all().item<bool>());
}

// rms_norm's own gradient against that of plain operations, which LibTorch differentiates.
TEST(FusedNorm, ItsGradientIsThatOfTheDefinition) {
  at::manual_seed(2);
  for (const std::int64_t width : {1, 3, 16, 130, 20000}) {
    for (const bool weighted : {false, true}) {
      const at::Tensor incoming = at::randn({7, width});
      const at::Tensor x = (at::randn({7, width}) * 3).set_requires_grad(true),
                       weight = weighted ? at::randn({width}).set_requires_grad(true) : at::Tensor();
      (rms_norm(x, weight, 1e-6) * incoming).sum().backward();
      const at::Tensor wide = x.detach().to(at::kDouble).set_requires_grad(true),
                       wide_weight = weighted ? weight.detach().to(at::kDouble).set_requires_grad(true)
                                              : at::ones({width}, at::kDouble);
      at::Tensor plain = wide / (wide.square().mean(-1, true) + 1e-6).sqrt() * wide_weight;
      (plain * incoming).sum().backward();
      EXPECT_TRUE(at::allclose(x.grad().to(at::kDouble), wide.grad(), 1e-4, 1e-5)) << width;
      if (weighted) {
        EXPECT_TRUE(at::allclose(weight.grad().to(at::kDouble), wide_weight.grad(), 1e-4, 1e-5)) << width;
      }
    }
  }
}

TEST(FusedNorm, StepsAsideForOtherTypesAndLayouts) {
  EXPECT_FALSE(fused_rms_norm_applies(at::zeros({2, 8}).to(at::kBFloat16), {}));
  EXPECT_FALSE(fused_rms_norm_applies(at::zeros({8, 2}).t(), {}));
}

}  // namespace
}  // namespace canvaslab
