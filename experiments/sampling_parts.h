// The parts of a configuration that say how canvases are sampled: what a run samples with, and a training
// validates with.
#pragma once

#include <memory>

#include "core/config/bind.h"
#include "core/config/describe.h"
#include "core/random/random_source.h"
#include "core/registry.h"
#include "samplers/rules.h"
#include "samplers/sampler.h"

namespace canvaslab {

struct SamplingParts {
  std::unique_ptr<NoiseProcess> noise;
  std::unique_ptr<NoiseSchedule> noise_schedule;
  std::unique_ptr<TemperatureSchedule> temperature;
  std::unique_ptr<SelectionRule> selection;
  std::unique_ptr<StoppingCriterion> stopping;
  std::unique_ptr<SamplerSource> sampler;
  std::unique_ptr<RandomSource> random;

  // `vocabulary` and this outlive what is returned.
  Rules rules(const Vocabulary& vocabulary) const {
    return {*noise, *noise_schedule, *temperature, *selection, *stopping, vocabulary};
  }

  template <class Visitor>
  void fields(Visitor& visit) {
    visit("noise", noise, {.meaning = "what a canvas starts from and what a rejected position becomes"});
    visit("noise_schedule", noise_schedule,
          {.meaning = "how much of a canvas is clean at each level of noise"});
    visit("temperature", temperature, {.meaning = "how the sampling temperature moves over the steps"});
    visit("selection", selection, {.meaning = "which positions are committed at a step"});
    visit("stopping", stopping, {.meaning = "when a canvas is done before its last step"});
    visit("sampler", sampler, {.meaning = "how samples come about: canvas by canvas, or token by token"});
    visit("random", random, {.meaning = "where random numbers come from"});
  }
};

}  // namespace canvaslab
