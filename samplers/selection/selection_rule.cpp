#include "samplers/selection/selection_rule.h"

#include <limits>

#include "core/error.h"

namespace canvaslab {
namespace {

struct NoDraws : SelectionDraws {
  double uniform(int /*position*/, int /*number*/) override {
    throw Error("the selection rule makes random choices and does not list what they may come to");
  }
};

}  // namespace

std::vector<SelectionOutcome> SelectionRule::outcomes(const SelectionInput& input) const {
  NoDraws none;
  SelectionInput asked = input;
  asked.draws = &none;
  SelectionOutcome only{1, std::vector<Decision>(input.canvas.size(), Decision::kKeep)};
  decide(asked, only.decision);
  return {only};
}

float SelectionRule::slack(const SelectionInput& /*input*/, std::span<const Decision> /*decision*/) const {
  return std::numeric_limits<float>::quiet_NaN();
}

}  // namespace canvaslab
