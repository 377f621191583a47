// alpha(t) = 1 - (1 - epsilon) t, MDLM's "log-linear" schedule (arXiv 2406.07524): the noise level
// -log alpha = -log(1 - (1 - epsilon) t) is the logarithm of a line, and alpha is the line. Unlike `linear`
// it ends at alpha(1) = epsilon, so that the noise level stays finite.
#include "core/registry.h"
#include "schedules/noise/noise_schedule.h"

namespace canvaslab {
namespace {

class Loglinear : public NoiseSchedule {
 public:
  struct Config {
    double epsilon = 1e-3;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("epsilon", epsilon,
            {.unit = "probability",
             .meaning = "alpha at t = 1, what pure noise leaves",
             .above = 0,
             .below = 1});
    }
  };

  explicit Loglinear(const Config& config) : epsilon_(config.epsilon) {}

  double survival(double t) const override { return 1 - (1 - epsilon_) * t; }
  double rate(double /*t*/) const override { return 1 - epsilon_; }

 private:
  double epsilon_;
};

}  // namespace

CANVASLAB_REGISTER(NoiseSchedule, Loglinear, "loglinear", "a line that leaves a small share clean at t = 1",
                   "arXiv 2406.07524");

}  // namespace canvaslab
