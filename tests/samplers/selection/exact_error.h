// How far from the truth a rule's samples are when the denoiser is exact: enumerated, not drawn.
#pragma once

#include <memory>
#include <string>

#include "samplers/enumeration.h"
#include "tests/models/exact/random_models.h"
#include "tests/options.h"

namespace canvaslab {

// The total variation distance between a Markov chain of strongly dependent neighbours (3 symbols, 4
// positions) and what masked diffusion generates from its exact denoiser in so many steps.
inline double error_with_masks(const std::string& selection, int steps) {
  const auto model = std::make_shared<MarkovModel>(3, 1, 4, std::vector<double>{5, 3, 2},
                                                   std::vector<double>{8, 1, 1, 1, 7, 2, 2, 2, 6});
  const ExactDenoiser denoiser(model, {.corruption = Corruption::kMasked});
  const auto process = build<NoiseProcess>("{name: masked}");
  const auto survival = build<NoiseSchedule>("{name: linear}");
  const auto schedule = build<TemperatureSchedule>("{name: constant}");
  const auto rule = build<SelectionRule>(selection);
  const auto criterion = build<StoppingCriterion>("{name: max_steps}");
  const Vocabulary vocabulary{.size = denoiser.vocabulary(), .mask = 3, .padding = {}, .end = {}};
  const Rules rules{*process, *survival, *schedule, *rule, *criterion, vocabulary};
  return total_variation(enumerate(denoiser, rules, steps), *model);
}

}  // namespace canvaslab
