// The same temperature at every step.
#include "core/registry.h"
#include "schedules/temperature/temperature_schedule.h"

namespace canvaslab {
namespace {

class Constant : public TemperatureSchedule {
 public:
  struct Config {
    double value = 1;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("value", value,
            {.meaning = "temperature of every step; 0 is greedy", .minimum = 0, .maximum = 1e6});
    }
  };

  explicit Constant(const Config& config) : value_(static_cast<float>(config.value)) {}

  float at(const StepTime& /*time*/) const override { return value_; }

 private:
  float value_;
};

}  // namespace

CANVASLAB_REGISTER(TemperatureSchedule, Constant, "constant", "the same temperature at every step", "");

}  // namespace canvaslab
