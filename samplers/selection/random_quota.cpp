// Random remasking (LLaDA, arXiv 2502.09992): every step commits a quota, the even split of the undecided
// positions over the steps that are left (samplers/selection/quota.h), of positions drawn uniformly without
// replacement; the rest stays noise. It is the baseline that looks at no statistic.
#include "core/registry.h"
#include "samplers/selection/gumbel.h"
#include "samplers/selection/quota.h"
#include "samplers/selection/ranking.h"

namespace canvaslab {
namespace {

class RandomQuota : public SelectionRule {
 public:
  struct Config {
    template <class Visitor>
    void fields(Visitor& /*visit*/) {}
  };

  explicit RandomQuota(const Config& /*config*/) {}

  SelectionNeeds needs() const override { return {.draw = false}; }

  void decide(const SelectionInput& input, std::span<Decision> out) const override {
    const std::vector<int> order =
        ranked(undecided_positions(input), [&](int position) { return input.draws->uniform(position, 0); });
    commit_first(even_quota(input, static_cast<int>(order.size())), order, out);
  }

  std::vector<SelectionOutcome> outcomes(const SelectionInput& input) const override {
    const std::vector<int> positions = undecided_positions(input);
    return outcomes_without_replacement(positions, std::vector<double>(positions.size(), 0.0),
                                        even_quota(input, static_cast<int>(positions.size())),
                                        input.canvas.size());
  }
};

}  // namespace

CANVASLAB_REGISTER(SelectionRule, RandomQuota, "random_quota",
                   "commits an even share a step, of positions drawn at random", "arXiv 2502.09992");

}  // namespace canvaslab
