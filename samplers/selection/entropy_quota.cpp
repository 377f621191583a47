// Dream's entropy rule (arXiv 2508.15487): every step commits as many of the m undecided positions as noise
// should leave on its way from level t to level s, those with the lowest entropy; the last step commits all.
//
//   n = floor(m (1 - s / t)),   t = 1 - alpha_t and s = 1 - alpha_s of the noise schedule (Survival), so that
//                               with the linear schedule n = floor(m / steps left)
//
// Where commits stay open (uniform noise), floor(alpha_s L) positions are committed in all. A position
// temperature tau > 0 draws the n positions without replacement, with weights softmax(-H / tau). Equal
// entropies rank by position. At temperature 0, where every H is 0, -log of the token's plain probability
// stands in for H.
#include <cmath>

#include "core/registry.h"
#include "samplers/selection/gumbel.h"
#include "samplers/selection/quota.h"
#include "samplers/selection/ranking.h"

namespace canvaslab {
namespace {

// Rounded down; what is short of a whole number only by rounding counts as that number.
std::int64_t whole(double count) {
  return static_cast<std::int64_t>(std::floor(count + 1e-9));
}

class EntropyQuota : public SelectionRule {
 public:
  struct Config {
    double position_temperature = 0;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit(
          "position_temperature", position_temperature,
          {.meaning = "randomness of the choice of positions: 0 takes the lowest entropies, large values any",
           .minimum = 0});
    }
  };

  explicit EntropyQuota(const Config& config) : config_(config) {}

  SelectionNeeds needs() const override { return {.raw_probability = true, .draw = false}; }

  void decide(const SelectionInput& input, std::span<Decision> out) const override {
    const std::vector<int> order = ranked(undecided_positions(input), [&](int position) {
      return randomized(certainty(input, position), config_.position_temperature, position, *input.draws);
    });
    commit_first(commits(input, static_cast<int>(order.size())), order, out);
  }

  std::vector<SelectionOutcome> outcomes(const SelectionInput& input) const override {
    if (config_.position_temperature == 0) return SelectionRule::outcomes(input);
    const std::vector<int> positions = undecided_positions(input);
    std::vector<double> scores;
    for (const int position : positions)
      scores.push_back(certainty(input, position) / config_.position_temperature);
    return outcomes_without_replacement(positions, scores, commits(input, static_cast<int>(positions.size())),
                                        input.canvas.size());
  }

 private:
  // How many of the `open` positions to commit.
  static int commits(const SelectionInput& input, int open) {
    const double noise = 1 - input.survival.now;
    const double share = noise > 0 ? 1 - (1 - input.survival.next) / noise : 1;
    const auto length = static_cast<double>(input.undecided.size());
    return quota(input, open, whole(open * share), whole(length * input.survival.next));
  }

  static double certainty(const SelectionInput& input, int position) {
    if (input.temperature != 0) return -input.prediction.entropy[position];
    return std::log(input.prediction.raw_sampled_probability[position]);
  }

  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(SelectionRule, EntropyQuota, "entropy_quota",
                   "commits what the noise schedule asks for, the lowest entropies first",
                   "arXiv 2508.15487");

}  // namespace canvaslab
