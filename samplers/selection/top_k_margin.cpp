// Top-k probability margin (arXiv 2502.06768; Dream, arXiv 2508.15487): every step commits a quota, the even
// split of the undecided positions over the steps that are left (samplers/selection/quota.h), of the
// positions where the most probable token leads the second by most; the rest stays noise. Equal margins rank
// by position.
//
// At temperature 0, where every margin is 1, the plain probability of the token stands in for it.
#include "core/registry.h"
#include "samplers/selection/quota.h"
#include "samplers/selection/ranking.h"

namespace canvaslab {
namespace {

class TopKMargin : public SelectionRule {
 public:
  struct Config {
    template <class Visitor>
    void fields(Visitor& /*visit*/) {}
  };

  explicit TopKMargin(const Config& /*config*/) {}

  SelectionNeeds needs() const override { return {.raw_probability = true, .draw = false}; }

  void decide(const SelectionInput& input, std::span<Decision> out) const override {
    const Prediction& prediction = input.prediction;
    const std::vector<float>& margin =
        input.temperature == 0 ? prediction.raw_sampled_probability : prediction.margin;
    const std::vector<int> order =
        ranked(undecided_positions(input), [&](int position) { return margin[position]; });
    commit_first(even_quota(input, static_cast<int>(order.size())), order, out);
  }
};

}  // namespace

CANVASLAB_REGISTER(SelectionRule, TopKMargin, "top_k_margin",
                   "commits an even share a step, the largest lead over the second token first",
                   "arXiv 2502.06768");

}  // namespace canvaslab
