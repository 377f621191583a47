// The probability threshold of uniform diffusion: a canvas token whose probability under the new prediction
// reaches the threshold is kept; else the sampled token is committed if its own probability reaches `accept`;
// else the position is re-noised. At least one position a step is kept or committed: the one with the most
// probable token of the two.
#include <algorithm>
#include <optional>

#include "core/registry.h"
#include "samplers/selection/selection_rule.h"

namespace canvaslab {
namespace {

class ProbabilityThreshold : public SelectionRule {
 public:
  struct Config {
    double threshold = 0.9;
    std::optional<double> accept;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("threshold", threshold,
            {.unit = "probability",
             .meaning = "least probability at which the canvas token is kept",
             .minimum = 0});
      visit("accept", accept,
            {.unit = "probability",
             .meaning = "least probability at which the sampled token is committed; null: the threshold",
             .minimum = 0});
    }
  };

  explicit ProbabilityThreshold(const Config& config)
      : threshold_(static_cast<float>(config.threshold)),
        accept_(static_cast<float>(config.accept.value_or(config.threshold))) {}

  void decide(const SelectionInput& input, std::span<Decision> out) const override {
    const Prediction& p = input.prediction;
    int best = -1;
    bool any = false;
    const auto better = [&](int i) { return std::max(p.current_probability[i], p.sampled_probability[i]); };
    for (int i = 0; i < p.length(); ++i) {
      if (input.undecided[i] == 0) continue;
      out[i] = p.current_probability[i] >= threshold_ ? Decision::kKeep
               : p.sampled_probability[i] >= accept_  ? Decision::kCommitSampled
                                                      : Decision::kRenoise;
      any = any || out[i] != Decision::kRenoise;
      if (best < 0 || better(i) > better(best)) best = i;
    }
    if (any || best < 0) return;
    out[best] = p.current_probability[best] >= p.sampled_probability[best] ? Decision::kKeep
                                                                           : Decision::kCommitSampled;
  }

 private:
  float threshold_, accept_;  // float32 as the statistics are, so that equal numbers compare equal
};

}  // namespace

CANVASLAB_REGISTER(SelectionRule, ProbabilityThreshold, "probability_threshold",
                   "keeps probable canvas tokens, commits probable samples, re-noises the rest", "");

}  // namespace canvaslab
