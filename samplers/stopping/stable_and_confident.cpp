// Stops when the prediction has settled: the argmax canvas equals that of each of the last `stability` steps,
// and the mean entropy of the tempered distribution is below `confidence`. With stability 1 (two equal
// predictions) the earliest stop is the second step; with 0 every step counts as stable.
//
// Implementations differ: Google's JAX code compares the argmax with the previous canvas (`stable_against:
// canvas`) and takes an entropy equal to the limit as confident (`comparison: inclusive`).
#include "core/registry.h"
#include "samplers/stopping/settled.h"
#include "samplers/stopping/stopping_criterion.h"

namespace canvaslab {
namespace {

class StableAndConfident : public StoppingCriterion {
 public:
  enum class Against { kArgmax, kCanvas };
  enum class Comparison { kStrict, kInclusive };

  struct Config {
    int stability = 1;
    double confidence = 0.005;
    Against stable_against = Against::kArgmax;
    Comparison comparison = Comparison::kStrict;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit(
          "stability", stability,
          {.unit = "steps", .meaning = "earlier steps whose prediction must equal the newest", .minimum = 0});
      visit("confidence", confidence,
            {.unit = "nats",
             .meaning = "mean entropy below which the canvas is confident; 0 never stops",
             .minimum = 0});
      visit.choice("stable_against", stable_against,
                   {{"argmax", Against::kArgmax}, {"canvas", Against::kCanvas}},
                   {.meaning = "what the newest prediction is compared with: earlier predictions or the "
                               "canvases they were made from"});
      visit.choice("comparison", comparison,
                   {{"strict", Comparison::kStrict}, {"inclusive", Comparison::kInclusive}},
                   {.meaning = "whether a mean entropy equal to the limit is confident"});
    }
  };

  explicit StableAndConfident(const Config& config) : config_(config) {}

  int lookback() const override { return config_.stability; }

  StopSignal check(const History& history) const override {
    const float entropy = history.back().mean_entropy;
    const auto limit =
        static_cast<float>(config_.confidence);  // as the entropy is, so that equal numbers compare equal
    StopSignal signal;
    signal.stable = config_.stable_against == Against::kArgmax
                        ? equals_earlier_argmax(history, config_.stability)
                        : equals_canvas(history);
    signal.confident = config_.comparison == Comparison::kStrict ? entropy < limit : entropy <= limit;
    signal.stop = signal.stable && signal.confident;
    return signal;
  }

 private:
  // The canvas of step i is what step i - 1 left; the first canvas is noise and does not count.
  bool equals_canvas(const History& history) const {
    const auto newest = static_cast<int>(history.size()) - 1;
    if (history[newest].time.index < config_.stability || newest + 1 < config_.stability) return false;
    for (int back = 0; back < config_.stability; ++back) {
      if (history[newest - back].canvas != history[newest].prediction.argmax) return false;
    }
    return true;
  }

  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(StoppingCriterion, StableAndConfident, "stable_and_confident",
                   "stops when consecutive predictions are equal and the mean entropy is low", "");

}  // namespace canvaslab
