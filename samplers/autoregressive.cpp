// `sampler: autoregressive`: token after token in the model's causal mode. What the other sampling groups say
// (noise, temperature, selection, stopping) is not asked.
#include "core/registry.h"
#include "samplers/autoregressive_sampler.h"

namespace canvaslab {
namespace {

class Autoregressive : public SamplerSource {
 public:
  using Config = AutoregressiveConfig;

  explicit Autoregressive(Config config) : config_(std::move(config)) {}

  std::unique_ptr<Sampler> make(const Denoiser& denoiser, const Rules& rules, Random& random,
                                std::int64_t max_new_tokens) const override {
    return std::make_unique<AutoregressiveSampler>(denoiser, rules, random, config_, max_new_tokens);
  }

  std::optional<std::int64_t> max_new_tokens() const override { return config_.max_new_tokens; }
  const std::vector<TokenId>& stop_tokens() const override { return config_.stop_tokens; }
  int most_steps(std::int64_t canvas_length) const override { return static_cast<int>(canvas_length); }
  bool causal() const override { return true; }

 private:
  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(SamplerSource, Autoregressive, "autoregressive",
                   "token after token in the checkpoint's causal mode: the baseline", "");

}  // namespace canvaslab
