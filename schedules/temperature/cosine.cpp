// Cosine temperature: half a wave from maximum to minimum, flat at both ends.
//
//   T = minimum + (maximum - minimum) (1 - cos(pi p)) / 2,   p the share of the steps still to go
#include <cmath>
#include <numbers>

#include "core/registry.h"
#include "schedules/temperature/falling.h"
#include "schedules/temperature/temperature_schedule.h"

namespace canvaslab {
namespace {

class Cosine : public TemperatureSchedule {
 public:
  struct Config {
    double maximum = 0.8;
    double minimum = 0.4;
    Endpoint endpoint = Endpoint::kExcluded;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("maximum", maximum,
            {.meaning = "temperature of the first step; 0 is greedy", .minimum = 0, .maximum = 1e6});
      visit("minimum", minimum, {.meaning = "temperature towards the last step", .minimum = 0});
      endpoint_field(visit, endpoint);
    }
  };

  explicit Cosine(const Config& config) : config_(config) { refuse_rising(config.minimum, config.maximum); }

  float at(const StepTime& time) const override {
    const double p = share_to_go(time, config_.endpoint);
    const double wave = (1 - std::cos(std::numbers::pi * p)) / 2;
    return static_cast<float>(config_.minimum + (config_.maximum - config_.minimum) * wave);
  }

 private:
  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(TemperatureSchedule, Cosine, "cosine",
                   "falls in half a cosine wave from maximum to minimum", "");

}  // namespace canvaslab
