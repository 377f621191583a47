// The grid: every combination of the values, in Hydra's order, the last key fastest.
#include "core/registry.h"
#include "experiments/sweep/sweeper.h"

namespace canvaslab {
namespace {

class BasicSweeper : public Sweeper {
 public:
  struct Config {
    config::Node params;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("params", params,
            {.meaning = "map of keys to sweeps, in front of the command line's; null: none"});
    }
  };

  explicit BasicSweeper(const Config& /*config*/) {}

  std::vector<std::vector<std::string>> cells(const config::SweepPlan& plan) const override {
    const config::SweepGrid grid(plan);
    std::vector<std::vector<std::string>> all;
    for (size_t i = 0; i < grid.size(); ++i) all.push_back(grid.words(i));
    return all;
  }
};

}  // namespace

CANVASLAB_REGISTER(Sweeper, BasicSweeper, "basic", "every combination of the values, the last key fastest",
                   "");

}  // namespace canvaslab
