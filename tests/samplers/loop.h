// A sampling loop over a stub denoiser, and everything that it showed to its observer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/random/counter_random.h"
#include "samplers/block_sampler.h"
#include "tests/options.h"
#include "tests/samplers/stub_denoiser.h"

namespace canvaslab {

struct SeenStep {
  StreamKey key;
  StepRecord record;
  StopSignal signal;
};

class Recorder : public SampleObserver {
 public:
  void step(const StreamKey& key, const StepRecord& record, const StopSignal& signal, float /*slack*/,
            double /*seconds*/) override {
    steps.push_back({key, record, signal});
  }
  void canvas(const CanvasResult& result) override { canvases.push_back(result); }
  void sample(const SampleResult& result) override { samples.push_back(result); }

  // The steps of one canvas in the order in which they were seen.
  std::vector<SeenStep> of(std::uint64_t sample, std::uint32_t canvas) const {
    std::vector<SeenStep> found;
    for (const SeenStep& seen : steps) {
      if (seen.key.sample == sample && seen.key.canvas == canvas) found.push_back(seen);
    }
    return found;
  }

  std::vector<SeenStep> steps;
  std::vector<CanvasResult> canvases;
  std::vector<SampleResult> samples;
};

// The settings of a run; the defaults are a uniform process that runs until the prediction is certain.
struct Loop {
  std::string noise = "{name: uniform}";
  std::string noise_schedule = "{name: linear}";
  std::string temperature = "{name: constant}";
  std::string selection = "{name: entropy_bound}";
  std::string stopping = "{name: stable_and_confident}";
  Vocabulary vocabulary{.size = 12, .mask = 11, .padding = 0, .end = {1}};
  SamplerConfig config;
  std::int64_t max_new_tokens = 4;
  std::uint64_t seed = 1;

  // Runs it; what was seen is in `seen`.
  std::vector<SampleResult> run(const Denoiser& denoiser, const std::vector<SampleRequest>& requests) {
    CounterRandom random(seed);
    return run(denoiser, requests, random);
  }

  std::vector<SampleResult> run(const Denoiser& denoiser, const std::vector<SampleRequest>& requests,
                                Random& random) {
    seen = {};
    const auto noise_process = build<NoiseProcess>(noise);
    const auto survival = build<NoiseSchedule>(noise_schedule);
    const auto schedule = build<TemperatureSchedule>(temperature);
    const auto rule = build<SelectionRule>(selection);
    const auto criterion = build<StoppingCriterion>(stopping);
    const Rules rules{*noise_process, *survival, *schedule, *rule, *criterion, vocabulary};
    BlockSampler sampler(denoiser, rules, random, config, max_new_tokens);
    return sampler.run(requests, seen);
  }

  Recorder seen;
};

// Samples 0 .. count - 1, each with its number (to the base 12) as its prompt.
inline std::vector<SampleRequest> numbered(int count) {
  std::vector<SampleRequest> requests;
  for (int i = 0; i < count; ++i) {
    std::vector<TokenId> digits;
    for (int rest = i; rest > 0 || digits.empty(); rest /= 12) digits.insert(digits.begin(), rest % 12);
    requests.push_back({.sample = static_cast<std::uint64_t>(i),
                        .prompt = digits,
                        .padding_before = 0,
                        .initial_canvas = {}});
  }
  return requests;
}

inline StubDenoiser::Logits certain(TokenId token, size_t vocabulary = 12) {
  StubDenoiser::Logits z(vocabulary, 0.0);
  z[static_cast<size_t>(token)] = 60;
  return z;
}

inline StubDenoiser::Logits undecided(size_t vocabulary = 12) {
  return StubDenoiser::Logits(vocabulary, 0.0);
}

// Certain of `token` everywhere, from the first pass.
inline StubDenoiser::Rule always(TokenId token) {
  return [token](const StubDenoiser::View&) { return certain(token); };
}

// A toy whose logits depend on everything that a real model sees, between vague and sharp.
inline StubDenoiser::Rule dependent(size_t vocabulary = 12, double sharpness = 6) {
  return [vocabulary, sharpness](const StubDenoiser::View& view) {
    std::uint64_t state = 1469598103934665603ULL + static_cast<std::uint64_t>(view.position);
    const auto mix = [&](std::uint64_t value) { state = (state ^ value) * 1099511628211ULL; };
    for (const TokenId token : view.before) mix(static_cast<std::uint64_t>(token) + 1);
    for (const TokenId token : view.tokens) mix(static_cast<std::uint64_t>(token) + 1);
    StubDenoiser::Logits z(vocabulary);
    for (double& logit : z) {
      mix(7);
      logit = sharpness * static_cast<double>(state >> 11) * 0x1.0p-53;
    }
    return z;
  };
}

}  // namespace canvaslab
