// alpha(t) = exp(-sigma(t)) with a noise level that grows geometrically, sigma(t) = minimum^(1 - t) maximum^t
// (SEDD, arXiv 2310.16834). Neither end is exact: alpha(0) = exp(-minimum) is a little below 1, and alpha(1)
// = exp(-maximum) a little above 0.
#include <fmt/format.h>

#include <cmath>

#include "core/error.h"
#include "core/registry.h"
#include "schedules/noise/noise_schedule.h"

namespace canvaslab {
namespace {

class Geometric : public NoiseSchedule {
 public:
  struct Config {
    double minimum = 1e-4;
    double maximum = 20;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("minimum", minimum, {.meaning = "noise level sigma at t = 0", .above = 0});
      visit("maximum", maximum, {.meaning = "noise level sigma at t = 1", .above = 0, .maximum = 1e6});
    }
  };

  explicit Geometric(const Config& config) : config_(config) {
    if (config.minimum >= config.maximum) {
      throw ConfigurationError(
          fmt::format("noise_schedule.minimum = {} is not below noise_schedule.maximum = {}", config.minimum,
                      config.maximum));
    }
  }

  double survival(double t) const override { return std::exp(-level(t)); }
  double rate(double t) const override {
    return level(t) * std::log(config_.maximum / config_.minimum) * survival(t);
  }

 private:
  // sigma(t)
  double level(double t) const { return std::pow(config_.minimum, 1 - t) * std::pow(config_.maximum, t); }

  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(NoiseSchedule, Geometric, "geometric",
                   "a noise level that grows by the same factor everywhere", "arXiv 2310.16834");

}  // namespace canvaslab
