// The corrector of the leave-one-out predictor-corrector (arXiv 2605.22765): the canvas stays at its level of
// noise, and the few positions that fit worst are drawn again, each from its conditional given all others,
//
//   c = alpha p + (1 - alpha) / V,    p the leave-one-out prediction, alpha the level's survival probability:
//
// the sampled token with probability alpha, fresh noise otherwise. The k positions with the largest
// score / tau + Gumbel noise are chosen; score = -log c[most probable], -log c[current], or
// log c[best other] - log c[current]. At alpha = 1 the conditional of a clean canvas has no noise left to
// correct, and everything is kept.
#include <cmath>

#include "core/registry.h"
#include "samplers/selection/gumbel.h"
#include "samplers/selection/ranking.h"

namespace canvaslab {
namespace {

class LeaveOneOutCorrector : public SelectionRule {
 public:
  enum class Choice { kLogMargin, kMaximum, kCurrent, kRandom };

  struct Config {
    int positions = 1;
    Choice choice = Choice::kLogMargin;
    double tau = 1;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("positions", positions,
            {.unit = "positions", .meaning = "how many are drawn again at a step, k", .minimum = 1});
      visit.choice("choice", choice,
                   {{"log_margin", Choice::kLogMargin},
                    {"maximum", Choice::kMaximum},
                    {"current", Choice::kCurrent},
                    {"random", Choice::kRandom}},
                   {.meaning = "by what the positions are chosen that fit worst"});
      visit("tau", tau,
            {.meaning = "randomness of the choice: 0 takes the worst, large values any", .minimum = 0});
    }
  };

  explicit LeaveOneOutCorrector(const Config& config) : config_(config) {}

  SelectionNeeds needs() const override {
    return {.raw_probability = false, .leave_one_out = true, .edits = false};
  }

  void decide(const SelectionInput& input, std::span<Decision> out) const override {
    std::fill(out.begin(), out.end(), Decision::kKeep);
    const double survival = input.survival.now;
    if (survival >= 1) return;
    const std::vector<int> order =
        ranked(undecided_positions(input), [&](int position) { return priority(input, position); });
    const auto chosen = std::min(static_cast<size_t>(config_.positions), order.size());
    for (size_t k = 0; k < chosen; ++k) {
      const int position = order[k];
      out[position] =
          input.draws->uniform(position, 1) < survival ? Decision::kCommitSampled : Decision::kRenoise;
    }
  }

 private:
  double priority(const SelectionInput& input, int i) const {
    if (config_.choice == Choice::kRandom) return input.draws->uniform(i, 0);
    return randomized(score(input, i), config_.tau, i, *input.draws);
  }

  double score(const SelectionInput& input, int i) const {
    const double alpha = input.survival.now,
                 noise = (1 - alpha) / static_cast<double>(input.vocabulary->size);
    const auto log_conditional = [&](double p) { return std::log(alpha * p + noise); };
    const Prediction& p = input.prediction;
    const double current = log_conditional(p.current_probability[i]);
    switch (config_.choice) {
      case Choice::kMaximum:
        return -log_conditional(p.confidence[i]);
      case Choice::kCurrent:
        return -current;
      default:
        break;
    }
    const bool current_is_best = p.argmax[i] == input.canvas[i];
    const float best_other = current_is_best ? p.confidence[i] - p.margin[i] : p.confidence[i];
    return log_conditional(best_other) - current;
  }

  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(SelectionRule, LeaveOneOutCorrector, "leave_one_out_corrector",
                   "draws the positions that fit worst again, the rest stays", "arXiv 2605.22765");

}  // namespace canvaslab
