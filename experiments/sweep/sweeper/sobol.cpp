// Trials that fill the space of the swept keys evenly: the Sobol sequence, moved by a random digital shift
// (every coordinate XOR a number drawn for its key), which keeps its evenness and leaves out no corner.
#include <algorithm>
#include <optional>

#include "core/random/philox.h"
#include "core/registry.h"
#include "experiments/sweep/sobol_sequence.h"
#include "experiments/sweep/sweeper.h"

namespace canvaslab {
namespace {

class SobolSweeper : public Sweeper {
 public:
  struct Config {
    int trials = 32;
    std::optional<std::uint64_t> seed = 1;
    config::Node params;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("trials", trials,
            {.unit = "cells",
             .meaning = "how many; a power of 2 is the most even",
             .minimum = 1,
             .maximum = 1000000});
      visit("seed", seed,
            {.meaning = "the shift follows from it; null: the sequence as it is, from the lower ends",
             .minimum = 0});
      visit("params", params,
            {.meaning = "map of keys to sweeps, in front of the command line's; null: none"});
    }
  };

  explicit SobolSweeper(const Config& config) : config_(config) {}

  std::vector<std::vector<std::string>> cells(const config::SweepPlan& plan) const override {
    const auto swept = std::count_if(plan.keys.begin(), plan.keys.end(),
                                     [](const config::SweepKey& key) { return key.is_swept(); });
    const SobolSequence sequence(static_cast<int>(swept));
    std::vector<std::vector<std::string>> all(config_.trials);
    for (std::uint32_t trial = 0; trial < all.size(); ++trial) {
      const std::vector<std::uint32_t> point = sequence.point(trial);
      std::uint32_t dimension = 0;
      for (const config::SweepKey& key : plan.keys) {
        double unit = 0;
        if (key.is_swept()) {
          unit = static_cast<double>(point[dimension] ^ shift(dimension)) / 4294967296.0;
          ++dimension;
        }
        all[trial].push_back(key.key + "=" + chosen_value(key, unit));
      }
    }
    return all;
  }

 private:
  std::uint32_t shift(std::uint32_t dimension) const {
    if (!config_.seed) return 0;
    const PhiloxKey seed{static_cast<std::uint32_t>(*config_.seed),
                         static_cast<std::uint32_t>(*config_.seed >> 32)};
    return philox({dimension, 0, 0, 1}, seed)[0];
  }

  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(Sweeper, SobolSweeper, "sobol", "trials that fill values and intervals evenly", "");

}  // namespace canvaslab
