// Stops after a fixed number of steps, or not before the schedule's last one: no adaptive stopping.
#include <optional>

#include "core/registry.h"
#include "samplers/stopping/stopping_criterion.h"

namespace canvaslab {
namespace {

class MaxSteps : public StoppingCriterion {
 public:
  struct Config {
    std::optional<int> steps;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("steps", steps,
            {.unit = "steps",
             .meaning = "stop after this many steps of the schedule; null: run all of them",
             .minimum = 1});
    }
  };

  explicit MaxSteps(const Config& config) : config_(config) {}

  StopSignal check(const History& history) const override {
    StopSignal signal;
    signal.stop = config_.steps && history.back().time.index + 1 >= *config_.steps;
    return signal;
  }

 private:
  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(StoppingCriterion, MaxSteps, "max_steps", "runs a fixed number of steps", "");

}  // namespace canvaslab
