// What the next denoising step is conditioned on.
#pragma once

namespace canvaslab {

enum class SelfConditioning {
  kTempered,  // the probabilities at the step's temperature (the reference)
  kRaw,       // the probabilities at temperature 1
  kOff,       // nothing: every step is a first step
};

}  // namespace canvaslab
