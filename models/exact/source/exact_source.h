// What the options `model: markov`, `hmm` and `table` have in common: a joint model behind an exact denoiser,
// with a vocabulary and a tokenizer made for its symbols.
#pragma once

#include <memory>

#include "models/exact/exact_denoiser.h"
#include "models/model_source.h"

namespace canvaslab {

// The settings of the denoiser, beside those of the joint model.
struct ExactOptions {
  Corruption corruption = Corruption::kMasked;
  NoiseLevel noise_level = NoiseLevel::kSchedule;
  bool leave_one_out = false;
  double epsilon = 1e-6;

  template <class Visitor>
  void fields(Visitor& visit) {
    visit.choice("corruption", corruption,
                 {{"masked", Corruption::kMasked}, {"uniform", Corruption::kUniform}},
                 {.meaning = "the noise that the posterior reckons with; must be that of the group noise"});
    visit.choice(
        "noise_level", noise_level,
        {{"schedule", NoiseLevel::kSchedule}, {"marginal", NoiseLevel::kMarginal}},
        {.meaning = "under uniform corruption: whether it is told the step's alpha, or takes it to be "
                    "uniform in (0, 1) as a network does that is not told the time"});
    visit("leave_one_out", leave_one_out,
          {.meaning = "whether a position's prediction leaves its own token out"});
    visit("epsilon", epsilon,
          {.unit = "probability",
           .meaning = "a canvas that nothing explains is taken to be wrong so often at each position",
           .above = 0,
           .maximum = 1});
  }
};

// The denoiser with everything that a run needs; symbols are written a, b, c ... ConfigurationError when
// there are more than 52 (a-z, A-Z).
Model exact_model(std::shared_ptr<const JointModel> joint, const ExactOptions& options);

}  // namespace canvaslab
