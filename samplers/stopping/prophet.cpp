// Prophet's early answer (arXiv 2508.19982): stops when the lead of the most probable token over the second,
// averaged over the canvas, reaches a threshold that falls as the steps go by: what is asked of an early
// answer is more than of a late one.
//
//   threshold at step i of N = from + (to - from) i / (N - 1), from at a single step
//
// The lead is a difference of tempered probabilities; a position that cannot change any more has 1, and so
// has every position at temperature 0.
#include <fmt/format.h>

#include <numeric>

#include "core/error.h"
#include "core/registry.h"
#include "samplers/stopping/stopping_criterion.h"

namespace canvaslab {
namespace {

class Prophet : public StoppingCriterion {
 public:
  struct Config {
    double from = 0.95;
    double to = 0.5;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("from", from,
            {.unit = "probability",
             .meaning = "mean lead that stops at the first step; above 1 does not",
             .minimum = 0});
      visit("to", to,
            {.unit = "probability", .meaning = "mean lead that stops at the last step", .minimum = 0});
    }
  };

  explicit Prophet(const Config& config) : config_(config) {
    if (config.to > config.from) {
      throw ConfigurationError(fmt::format(
          "stopping.to = {} is above stopping.from = {}; the threshold falls", config.to, config.from));
    }
  }

  StopSignal check(const History& history) const override {
    const StepRecord& step = history.back();
    const std::vector<float>& margin = step.prediction.margin;
    const double lead =
        std::accumulate(margin.begin(), margin.end(), 0.0) / static_cast<double>(margin.size());
    const double share =
        step.time.count > 1 ? static_cast<double>(step.time.index) / (step.time.count - 1) : 0;
    const double threshold = config_.from + (config_.to - config_.from) * share;
    StopSignal signal;
    // In float32 as the statistics are, so that equal numbers compare equal.
    signal.stop = signal.confident = static_cast<float>(lead) >= static_cast<float>(threshold);
    return signal;
  }

 private:
  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(StoppingCriterion, Prophet, "prophet",
                   "stops when the mean lead of the best token reaches a falling threshold",
                   "arXiv 2508.19982");

}  // namespace canvaslab
