// Stops when the step re-noised nothing: the rule kept or committed every position. Masked diffusion is done
// then anyway; under uniform noise, where every position stays open, it is the rule's own word that the
// canvas is finished.
#include <algorithm>

#include "core/registry.h"
#include "samplers/stopping/stopping_criterion.h"

namespace canvaslab {
namespace {

class AllRevealed : public StoppingCriterion {
 public:
  struct Config {
    template <class Visitor>
    void fields(Visitor& /*visit*/) {}
  };

  explicit AllRevealed(const Config& /*config*/) {}

  StopSignal check(const History& history) const override {
    const std::vector<Decision>& decision = history.back().decision;
    StopSignal signal;
    signal.stop = std::find(decision.begin(), decision.end(), Decision::kRenoise) == decision.end();
    return signal;
  }
};

}  // namespace

CANVASLAB_REGISTER(StoppingCriterion, AllRevealed, "all_revealed", "stops when a step re-noises nothing", "");

}  // namespace canvaslab
