// Independent trials: each draws every swept key anew, evenly from its values or its interval. What
// trial t of a seed draws for the k-th key depends on t, the seed and k: more trials, or more keys behind the
// others, leave it as it is.
#include "core/random/philox.h"
#include "core/registry.h"
#include "experiments/sweep/sweeper.h"

namespace canvaslab {
namespace {

class RandomSweeper : public Sweeper {
 public:
  struct Config {
    int trials = 20;
    std::uint64_t seed = 1;
    config::Node params;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("trials", trials, {.unit = "cells", .meaning = "how many", .minimum = 1, .maximum = 1000000});
      visit("seed", seed, {.meaning = "every drawn value follows from it", .minimum = 0});
      visit("params", params,
            {.meaning = "map of keys to sweeps, in front of the command line's; null: none"});
    }
  };

  explicit RandomSweeper(const Config& config) : config_(config) {}

  std::vector<std::vector<std::string>> cells(const config::SweepPlan& plan) const override {
    std::vector<std::vector<std::string>> all(config_.trials);
    for (std::uint32_t trial = 0; trial < all.size(); ++trial) {
      for (const config::SweepKey& key : plan.keys)
        all[trial].push_back(key.key + "=" +
                             chosen_value(key, draw(trial, static_cast<std::uint32_t>(all[trial].size()))));
    }
    return all;
  }

 private:
  double draw(std::uint32_t trial, std::uint32_t key) const {
    const PhiloxKey seed{static_cast<std::uint32_t>(config_.seed),
                         static_cast<std::uint32_t>(config_.seed >> 32)};
    const PhiloxCounter words = philox({trial, key, 0, 0}, seed);
    return unit_interval(words[0], words[1]);
  }

  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(Sweeper, RandomSweeper, "random", "trials drawn independently from values and intervals",
                   "");

}  // namespace canvaslab
