// alpha(t) = 1 - t: at every step the same share of the canvas becomes clean.
#include "core/registry.h"
#include "schedules/noise/noise_schedule.h"

namespace canvaslab {
namespace {

class Linear : public NoiseSchedule {
 public:
  struct Config {
    template <class Visitor>
    void fields(Visitor& /*visit*/) {}
  };

  explicit Linear(const Config& /*config*/) {}

  double survival(double t) const override { return 1 - t; }
  double rate(double /*t*/) const override { return 1; }
};

}  // namespace

CANVASLAB_REGISTER(NoiseSchedule, Linear, "linear",
                   "the same share of the canvas becomes clean at every step", "arXiv 2406.07524");

}  // namespace canvaslab
