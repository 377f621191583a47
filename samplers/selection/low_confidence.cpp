// Low-confidence remasking (LLaDA, arXiv 2502.09992): every step commits a quota, the even split of the
// undecided positions over the steps that are left (samplers/selection/quota.h), of the positions whose
// sampled tokens are most probable; the rest stays noise. Equal probabilities rank by position.
//
// As published the probability is the plain softmax's, whatever the temperature of the draw.
#include "core/registry.h"
#include "samplers/selection/quota.h"
#include "samplers/selection/ranking.h"

namespace canvaslab {
namespace {

class LowConfidence : public SelectionRule {
 public:
  struct Config {
    template <class Visitor>
    void fields(Visitor& /*visit*/) {}
  };

  explicit LowConfidence(const Config& /*config*/) {}

  SelectionNeeds needs() const override { return {.raw_probability = true}; }

  void decide(const SelectionInput& input, std::span<Decision> out) const override {
    const std::vector<int> order = ranked(undecided_positions(input), [&](int position) {
      return input.prediction.raw_sampled_probability[position];
    });
    commit_first(even_quota(input, static_cast<int>(order.size())), order, out);
  }
};

}  // namespace

CANVASLAB_REGISTER(SelectionRule, LowConfidence, "low_confidence",
                   "commits an even share a step, the most probable samples first", "arXiv 2502.09992");

}  // namespace canvaslab
