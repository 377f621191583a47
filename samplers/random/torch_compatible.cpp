// `random: torch_compatible`: draws from LibTorch's CPU generator in the order of the reference
// implementation, so that a run repeats what its generate() does after torch.manual_seed(seed). Per canvas
// one uniform canvas, then per step one categorical over all [B L, V] probabilities and one uniform canvas. A
// parity mode: rows stay until the last one stops.
#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>

#include "core/random/random_source.h"
#include "core/registry.h"

namespace canvaslab {
namespace {

class TorchRandom : public Random, private JointDraw {
 public:
  explicit TorchRandom(std::uint64_t seed) : generator_(at::detail::createCPUGenerator(seed)) {}

  bool lockstep() const override { return true; }

  void tokens(std::span<const StreamKey> rows, Purpose /*purpose*/, std::int64_t vocabulary,
              std::int64_t length, std::span<TokenId> out) override {
    const at::Tensor drawn =
        at::randint(0, vocabulary, {static_cast<std::int64_t>(rows.size()), length}, generator_, at::kLong);
    const auto* from = drawn.const_data_ptr<std::int64_t>();
    std::transform(from, from + drawn.numel(), out.begin(),
                   [](std::int64_t id) { return static_cast<TokenId>(id); });
  }

  CandidateDraws candidates(std::span<const StreamKey> /*rows*/, std::int64_t /*length*/) override {
    CandidateDraws draws;
    draws.joint = this;
    return draws;
  }

  double selection(const StreamKey& /*row*/, std::uint32_t /*position*/, std::uint32_t /*number*/) override {
    return at::rand({}, generator_, at::kDouble).item<double>();
  }

 private:
  void operator()(std::span<const float> probabilities, std::int64_t vocabulary,
                  std::span<TokenId> out) override {
    const at::Tensor p = at::from_blob(const_cast<float*>(probabilities.data()),  // read only
                                       {static_cast<std::int64_t>(out.size()), vocabulary}, at::kFloat);
    const at::Tensor drawn = at::multinomial(p, 1, /*replacement=*/false, generator_);
    const auto* from = drawn.const_data_ptr<std::int64_t>();
    std::transform(from, from + drawn.numel(), out.begin(),
                   [](std::int64_t id) { return static_cast<TokenId>(id); });
  }

  at::Generator generator_;
};

class TorchCompatible : public RandomSource {
 public:
  struct Config {
    template <class Visitor>
    void fields(Visitor& /*visit*/) {}
  };

  explicit TorchCompatible(const Config& /*config*/) {}

  std::unique_ptr<Random> make(std::uint64_t seed) const override {
    return std::make_unique<TorchRandom>(seed);
  }
};

}  // namespace

CANVASLAB_REGISTER(RandomSource, TorchCompatible, "torch_compatible",
                   "draws from LibTorch's generator in the reference's order (parity)", "");

}  // namespace canvaslab
