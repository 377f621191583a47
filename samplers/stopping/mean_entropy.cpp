// Stops when the mean entropy of the tempered distribution over the canvas is below a limit, whether or not
// the prediction still changes.
#include "core/registry.h"
#include "samplers/stopping/stopping_criterion.h"

namespace canvaslab {
namespace {

class MeanEntropy : public StoppingCriterion {
 public:
  struct Config {
    double limit = 0.005;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("limit", limit,
            {.unit = "nats", .meaning = "mean entropy below which it stops; 0 never stops", .minimum = 0});
    }
  };

  explicit MeanEntropy(const Config& config) : limit_(static_cast<float>(config.limit)) {}

  StopSignal check(const History& history) const override {
    StopSignal signal;
    signal.stop = signal.confident = history.back().mean_entropy < limit_;
    return signal;
  }

 private:
  float limit_;  // float32 as the entropy is, so that equal numbers compare equal
};

}  // namespace

CANVASLAB_REGISTER(StoppingCriterion, MeanEntropy, "mean_entropy", "stops when the mean entropy is low", "");

}  // namespace canvaslab
