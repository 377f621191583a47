// Piecewise linear temperature: straight lines between given points [share, temperature], where a share is
// that of the canvas's steps already done. Before the first point and after the last one their temperatures
// hold.
#include <fmt/format.h>

#include <vector>

#include "core/registry.h"
#include "schedules/temperature/falling.h"
#include "schedules/temperature/temperature_schedule.h"

namespace canvaslab {
namespace {

class Piecewise : public TemperatureSchedule {
 public:
  struct Config {
    std::vector<std::vector<double>> points{{0, 0.8}, {1, 0.4}};
    Endpoint endpoint = Endpoint::kExcluded;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("points", points,
            {.meaning = "pairs [share of the steps done, temperature], shares rising from 0 to 1 at most",
             .minimum = 0,
             .maximum = 1e6});
      endpoint_field(visit, endpoint);
    }
  };

  explicit Piecewise(const Config& config) : config_(config) {
    if (config.points.empty()) throw ConfigurationError("temperature.points is empty; expected a point");
    double before = -1;
    for (const std::vector<double>& point : config.points) {
      if (point.size() != 2) {
        throw ConfigurationError(fmt::format(
            "temperature.points: expected pairs [share, temperature], found a list of {}", point.size()));
      }
      if (point[0] > 1 || point[0] <= before) {
        throw ConfigurationError(
            fmt::format("temperature.points: expected shares that rise and are at most 1, found {}{}",
                        point[0], before < 0 ? "" : fmt::format(" after {}", before)));
      }
      before = point[0];
    }
  }

  float at(const StepTime& time) const override {
    const std::vector<std::vector<double>>& points = config_.points;
    const double done = 1 - share_to_go(time, config_.endpoint);
    if (done <= points.front()[0]) return static_cast<float>(points.front()[1]);
    for (size_t i = 1; i < points.size(); ++i) {
      const double begin = points[i - 1][0], end = points[i][0];
      if (done > end) continue;
      const double share = (done - begin) / (end - begin);
      return static_cast<float>(points[i - 1][1] + (points[i][1] - points[i - 1][1]) * share);
    }
    return static_cast<float>(points.back()[1]);
  }

 private:
  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(TemperatureSchedule, Piecewise, "piecewise",
                   "moves in straight lines between given points", "");

}  // namespace canvaslab
