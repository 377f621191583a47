// The option `random: torch_compatible`: LibTorch's own generator, in the reference's order. That a whole run
// repeats the reference's is shown by the recorded generations; here are its draws, one by one.
#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random/random_source.h"
#include "tests/options.h"

namespace canvaslab {
namespace {

const std::vector<StreamKey> kRows(2);

std::unique_ptr<Random> generator(std::uint64_t seed) {
  return build<RandomSource>("{name: torch_compatible}")->make(seed);
}

// Numbers that PyTorch prints: torch.manual_seed(0); torch.randint(0, 10, (10,)).
TEST(TorchCompatible, DrawsWhatTheSeedGivesInPython) {
  std::vector<TokenId> out(10);
  generator(0)->tokens(std::vector<StreamKey>(1), Purpose::kNoise, 10, 10, out);
  EXPECT_THAT(out, ::testing::ElementsAre(4, 9, 3, 0, 3, 9, 7, 3, 7, 3));
}

TEST(TorchCompatible, TokensThenCandidatesShareOneStream) {
  at::Generator reference = at::detail::createCPUGenerator(7);
  const at::Tensor canvas = at::randint(0, 30, {2, 3}, reference, at::kLong);
  const at::Tensor p =
      at::softmax(at::arange(6 * 30, at::kFloat).reshape({6, 30}).sin() * 3, -1).contiguous();
  const at::Tensor candidates = at::multinomial(p, 1, false, reference);
  const at::Tensor noise = at::randint(0, 30, {2, 3}, reference, at::kLong);

  const auto random = generator(7);
  std::vector<TokenId> first(6), drawn(6), last(6);
  random->tokens(kRows, Purpose::kInitialCanvas, 30, 3, first);
  const CandidateDraws draws = random->candidates(kRows, 3);
  ASSERT_NE(draws.joint, nullptr);
  EXPECT_TRUE(draws.uniforms.empty() && draws.given.empty());
  (*draws.joint)(std::span(p.const_data_ptr<float>(), static_cast<size_t>(p.numel())), 30, drawn);
  random->tokens(kRows, Purpose::kNoise, 30, 3, last);
  for (std::int64_t i = 0; i < 6; ++i) {
    EXPECT_EQ(first[static_cast<size_t>(i)], canvas.flatten()[i].item<std::int64_t>());
    EXPECT_EQ(drawn[static_cast<size_t>(i)], candidates.flatten()[i].item<std::int64_t>());
    EXPECT_EQ(last[static_cast<size_t>(i)], noise.flatten()[i].item<std::int64_t>());
  }
}

TEST(TorchCompatible, KeepsRowsTogether) {
  EXPECT_TRUE(generator(1)->lockstep());
}

TEST(TorchCompatible, TheProcessesOwnGeneratorIsLeftAlone) {
  at::manual_seed(5);
  const at::Tensor expected = at::rand({4});
  at::manual_seed(5);
  std::vector<TokenId> out(6);
  generator(9)->tokens(kRows, Purpose::kNoise, 30, 3, out);
  EXPECT_TRUE(at::equal(at::rand({4}), expected));
}

TEST(TorchCompatible, OtherSeedsDrawOtherTokens) {
  std::vector<TokenId> one(20), same(20), other(20);
  generator(1)->tokens(kRows, Purpose::kNoise, 1000, 10, one);
  generator(1)->tokens(kRows, Purpose::kNoise, 1000, 10, same);
  generator(2)->tokens(kRows, Purpose::kNoise, 1000, 10, other);
  EXPECT_EQ(one, same);
  EXPECT_NE(one, other);
}

TEST(TorchCompatible, RefusesSettingsThatItDoesNotHave) {
  EXPECT_THAT(refusal<RandomSource>("{name: torch_compatible, seed: 3}"),
              ::testing::HasSubstr("unknown key 'seed'"));
}

}  // namespace
}  // namespace canvaslab
