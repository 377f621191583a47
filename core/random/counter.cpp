// `random: counter`, the default.
#include "core/random/counter_random.h"
#include "core/random/random_source.h"
#include "core/registry.h"

namespace canvaslab {
namespace {

class Counter : public RandomSource {
 public:
  struct Config {
    template <class Visitor>
    void fields(Visitor& /*visit*/) {}
  };

  explicit Counter(const Config& /*config*/) {}

  std::unique_ptr<Random> make(std::uint64_t seed) const override {
    return std::make_unique<CounterRandom>(seed);
  }
};

}  // namespace

CANVASLAB_REGISTER(RandomSource, Counter, "counter",
                   "counter-based: a draw depends on seed, sample, canvas, step and position alone",
                   "SC 2011, Philox");

}  // namespace canvaslab
