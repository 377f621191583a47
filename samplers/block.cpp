// `sampler: block`: canvas after canvas, each denoised over the cache of what came before.
#include "core/registry.h"
#include "samplers/block_sampler.h"

namespace canvaslab {
namespace {

class Block : public SamplerSource {
 public:
  using Config = SamplerConfig;

  explicit Block(Config config) : config_(std::move(config)) {}

  std::unique_ptr<Sampler> make(const Denoiser& denoiser, const Rules& rules, Random& random,
                                std::int64_t max_new_tokens) const override {
    return std::make_unique<BlockSampler>(denoiser, rules, random, config_, max_new_tokens);
  }

  std::optional<std::int64_t> max_new_tokens() const override { return config_.max_new_tokens; }
  const std::vector<TokenId>& stop_tokens() const override { return config_.stop_tokens; }
  int most_steps(std::int64_t /*canvas_length*/) const override { return config_.steps; }

 private:
  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(SamplerSource, Block, "block",
                   "canvas after canvas, each denoised over the cache of what came before", "");

}  // namespace canvaslab
