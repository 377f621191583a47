// P2, path planning with the denoiser as its own planner (arXiv 2502.03540): at every step all positions that
// are not given compete, the visible ones too. The noise schedule says how many must be clean after the step;
// the best stay or are committed, and the others are re-noised, so that early mistakes are taken back.
//
//   re-noised: floor((1 - alpha_s) n) of the n positions, those with the lowest scores; in the last step none
//   score:     p(sampled) of an undecided position, p(sampled)^eta of a visible one
//
// With eta = 0 no visible position is ever re-noised, with 1 both kinds compete on equal terms; the larger
// eta, the more is taken back. Equal scores rank visible ones first, then by position. As published a visible
// position is scored by the token sampled there, whichever is visible, which asks how sure the model is of
// the position; `visible: current` scores it by its own token, p(current)^eta, so that what the model has
// come to doubt goes first. Either needs a model that predicts visible positions, too: one whose training
// counted masks alone has learnt nothing of them.
//
// At temperature 0 p is the plain softmax's, and that of a visible token which is not the most probable one
// counts as 0. Under uniform noise no position is visible for good, and all are scored by their samples.
#include <cmath>

#include "core/registry.h"
#include "samplers/selection/quota.h"
#include "samplers/selection/ranking.h"

namespace canvaslab {
namespace {

class P2 : public SelectionRule {
 public:
  enum class Visible { kCurrent, kSampled };

  struct Config {
    double eta = 1;
    Visible visible = Visible::kSampled;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("eta", eta,
            {.meaning = "exponent of a visible token's probability: 0 never re-noises it, more does sooner",
             .minimum = 0});
      visit.choice(
          "visible", visible, {{"current", Visible::kCurrent}, {"sampled", Visible::kSampled}},
          {.meaning = "whose probability scores a visible position: the sampled token's or its own"});
    }
  };

  explicit P2(const Config& config) : config_(config) {}

  SelectionNeeds needs() const override { return {.raw_probability = true, .edits = true}; }

  void decide(const SelectionInput& input, std::span<Decision> out) const override {
    std::vector<int> positions;
    for (int i = 0; i < static_cast<int>(input.editable.size()); ++i) {
      if (input.editable[i] != 0) positions.push_back(i);
    }
    for (const int i : undecided_positions(input)) positions.push_back(i);
    const std::vector<int> order = ranked(positions, [&](int i) { return score(input, i); });
    const auto count = static_cast<int>(order.size());
    // What is short of a whole number only by rounding counts as that number.
    const auto renoised = static_cast<int>(std::floor((1 - input.survival.next) * count + 1e-9));
    commit_first(is_last(input.time) ? count : count - renoised, order, out);
    for (const int i : positions) {
      if (input.editable[i] != 0 && out[i] == Decision::kCommitSampled) out[i] = Decision::kKeep;
    }
  }

 private:
  double score(const SelectionInput& input, int i) const {
    const float sampled = sampled_probability(input)[i];
    if (input.editable[i] == 0) return sampled;
    return std::pow(config_.visible == Visible::kSampled ? sampled : current(input, i), config_.eta);
  }

  // The probability of the visible token.
  static float current(const SelectionInput& input, int i) {
    const Prediction& p = input.prediction;
    if (input.temperature != 0) return p.current_probability[i];
    return p.sampled[i] == input.canvas[i] ? p.raw_sampled_probability[i] : 0;
  }

  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(SelectionRule, P2, "p2",
                   "keeps as many positions as should be clean, the best, and re-noises even visible ones",
                   "arXiv 2502.03540");

}  // namespace canvaslab
