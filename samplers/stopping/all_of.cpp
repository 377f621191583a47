// Stops when all of several criteria do, at the same step. Stable and confident, for the trace, is what any
// of them calls so.
#include "core/registry.h"
#include "samplers/stopping/criteria.h"

namespace canvaslab {
namespace {

class AllOf : public StoppingCriterion {
 public:
  using Config = Criteria::Config;

  explicit AllOf(Config config) : criteria_(std::move(config)) {}

  int lookback() const override { return criteria_.lookback(); }

  StopSignal check(const History& history) const override {
    Criteria::Answer answer = criteria_.ask(history);
    answer.signal.stop = answer.stops == criteria_.size();
    return answer.signal;
  }

 private:
  Criteria criteria_;
};

}  // namespace

CANVASLAB_REGISTER(StoppingCriterion, AllOf, "all_of", "stops when all of several criteria do", "");

}  // namespace canvaslab
