// Stops when the prediction has stopped changing: the argmax canvas equals that of each of the last
// `stability` steps, however uncertain it is. The earliest stop is step stability + 1.
#include "core/registry.h"
#include "samplers/stopping/settled.h"
#include "samplers/stopping/stopping_criterion.h"

namespace canvaslab {
namespace {

class Stable : public StoppingCriterion {
 public:
  struct Config {
    int stability = 1;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit(
          "stability", stability,
          {.unit = "steps", .meaning = "earlier steps whose prediction must equal the newest", .minimum = 1});
    }
  };

  explicit Stable(const Config& config) : stability_(config.stability) {}

  int lookback() const override { return stability_; }

  StopSignal check(const History& history) const override {
    StopSignal signal;
    signal.stop = signal.stable = equals_earlier_argmax(history, stability_);
    return signal;
  }

 private:
  int stability_;
};

}  // namespace

CANVASLAB_REGISTER(StoppingCriterion, Stable, "stable", "stops when consecutive predictions are equal",
                   "arXiv 2305.10818");

}  // namespace canvaslab
