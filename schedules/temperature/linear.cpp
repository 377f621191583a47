// Linear temperature: T = minimum + (maximum - minimum) * p, where p is the share of the steps still to go.
//
// As published, p = n / N with n = N .. 1: the first step has the maximum, the last one (maximum - minimum) /
// N more than the minimum, never the minimum itself. `endpoint: included` reaches it. The general law 1 - (1
// - p)^exponent bends the line (Google's JAX implementation has it; exponent 1 is the line).
#include <cmath>

#include "core/registry.h"
#include "schedules/temperature/falling.h"
#include "schedules/temperature/temperature_schedule.h"

namespace canvaslab {
namespace {

class Linear : public TemperatureSchedule {
 public:
  struct Config {
    double maximum = 0.8;
    double minimum = 0.4;
    double exponent = 1;
    Endpoint endpoint = Endpoint::kExcluded;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("maximum", maximum,
            {.meaning = "temperature of the first step; 0 is greedy", .minimum = 0, .maximum = 1e6});
      visit("minimum", minimum, {.meaning = "temperature towards the last step", .minimum = 0});
      visit("exponent", exponent, {.meaning = "p becomes 1 - (1 - p)^exponent", .above = 0});
      endpoint_field(visit, endpoint);
    }
  };

  explicit Linear(const Config& config) : config_(config) { refuse_rising(config.minimum, config.maximum); }

  // In float32, operation by operation, as the reference computes it: decisions downstream compare these
  // values.
  float at(const StepTime& time) const override {
    auto p = static_cast<float>(share_to_go(time, config_.endpoint));
    if (config_.exponent != 1)
      p = static_cast<float>(1 - std::pow(1 - static_cast<double>(p), config_.exponent));
    const float rise = static_cast<float>(config_.maximum - config_.minimum) * p;
    return static_cast<float>(config_.minimum) + rise;
  }

 private:
  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(TemperatureSchedule, Linear, "linear", "falls in a line from maximum to minimum", "");

}  // namespace canvaslab
