// alpha(t) = 1 - cos(pi / 2 (1 - t)): few positions become clean in the first steps, when little is known,
// and many in the last ones. The share that is still noise is MaskGIT's cosine (arXiv 2202.04200).
#include <cmath>
#include <numbers>

#include "core/registry.h"
#include "schedules/noise/noise_schedule.h"

namespace canvaslab {
namespace {

class Cosine : public NoiseSchedule {
 public:
  struct Config {
    template <class Visitor>
    void fields(Visitor& /*visit*/) {}
  };

  explicit Cosine(const Config& /*config*/) {}

  // As 1 - sin(pi / 2 t), which is exact at both ends.
  double survival(double t) const override { return 1 - std::sin(std::numbers::pi / 2 * t); }
  double rate(double t) const override { return std::numbers::pi / 2 * std::cos(std::numbers::pi / 2 * t); }
};

}  // namespace

CANVASLAB_REGISTER(NoiseSchedule, Cosine, "cosine", "few positions become clean at first, many at the end",
                   "arXiv 2406.04329");

}  // namespace canvaslab
