// Stops as soon as one of several criteria does. Stable and confident, for the trace, is what any of them
// calls so.
#include "core/registry.h"
#include "samplers/stopping/criteria.h"

namespace canvaslab {
namespace {

class AnyOf : public StoppingCriterion {
 public:
  using Config = Criteria::Config;

  explicit AnyOf(Config config) : criteria_(std::move(config)) {}

  int lookback() const override { return criteria_.lookback(); }

  StopSignal check(const History& history) const override {
    Criteria::Answer answer = criteria_.ask(history);
    answer.signal.stop = answer.stops > 0;
    return answer.signal;
  }

 private:
  Criteria criteria_;
};

}  // namespace

CANVASLAB_REGISTER(StoppingCriterion, AnyOf, "any_of", "stops when one of several criteria does", "");

}  // namespace canvaslab
