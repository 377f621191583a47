// alpha(t) = 1 - t^exponent (arXiv 2406.04329): above 1 most positions become clean in the first steps, below
// 1 in the last ones, and the rate at t = 0 is then infinite.
#include <cmath>

#include "core/registry.h"
#include "schedules/noise/noise_schedule.h"

namespace canvaslab {
namespace {

class Polynomial : public NoiseSchedule {
 public:
  struct Config {
    double exponent = 2;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("exponent", exponent, {.meaning = "power of t; 1 is the line", .above = 0});
    }
  };

  explicit Polynomial(const Config& config) : exponent_(config.exponent) {}

  double survival(double t) const override { return 1 - std::pow(t, exponent_); }
  double rate(double t) const override { return exponent_ * std::pow(t, exponent_ - 1); }

 private:
  double exponent_;
};

}  // namespace

CANVASLAB_REGISTER(NoiseSchedule, Polynomial, "polynomial", "a power of the time becomes noise",
                   "arXiv 2406.04329");

}  // namespace canvaslab
