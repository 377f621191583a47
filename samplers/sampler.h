// The config group `sampler`: how requests become samples - canvas by canvas, or token by token.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/random/random.h"
#include "models/denoiser.h"
#include "samplers/rules.h"
#include "samplers/sample.h"

namespace canvaslab {

class Sampler {
 public:
  virtual ~Sampler() = default;

  // What run() checks first. ConfigurationError when a request cannot be served: it does not fit the model's
  // positions, or holds ids outside the vocabulary.
  virtual void check(std::span<const SampleRequest> requests) const = 0;

  // Runs all requests; results come in the requests' order. Throws Error when the model returns a non-finite
  // logit, naming sample, canvas, step and position.
  virtual std::vector<SampleResult> run(std::span<const SampleRequest> requests,
                                        SampleObserver& observer) = 0;
};

class SamplerSource {
 public:
  virtual ~SamplerSource() = default;

  // All arguments outlive the sampler. ConfigurationError for settings that the denoiser or the vocabulary
  // cannot serve. `max_new_tokens`: what max_new_tokens() says, or else the checkpoint.
  virtual std::unique_ptr<Sampler> make(const Denoiser& denoiser, const Rules& rules, Random& random,
                                        std::int64_t max_new_tokens) const = 0;

  virtual std::optional<std::int64_t> max_new_tokens() const = 0;

  // Ids that end a sequence besides the checkpoint's own.
  virtual const std::vector<TokenId>& stop_tokens() const = 0;

  // The most steps that a canvas [L] takes.
  virtual int most_steps(std::int64_t canvas_length) const = 0;

  // Whether it predicts in the model's causal mode, which not every checkpoint was trained to do.
  virtual bool causal() const { return false; }
};

}  // namespace canvaslab
