// Block refinement (LLaDA 2.x, arXiv 2512.15745 and 2602.08676): every step commits what is probable enough,
// at least a quota, and may edit what it committed before: a decided position whose sampled token differs and
// is probable enough takes it.
//
//   quota: per_step    L / N positions a step, one more in the first L mod N steps; met by the most probable
//                      ones where too few exceed the threshold (masked noise)
//   quota: cumulative  ceil((t + 1) L / N) positions in all after step t (uniform noise, with
//                      sampler.lock_committed=true)
//
// A probability is that of the sampled token: tempered and filtered, or at temperature 0 the plain softmax's.
#include "core/registry.h"
#include "samplers/selection/quota.h"
#include "samplers/selection/ranking.h"

namespace canvaslab {
namespace {

class BlockRefinement : public SelectionRule {
 public:
  enum class Quota { kPerStep, kCumulative };

  struct Config {
    double threshold = 0.95;
    std::optional<double> editing_threshold;
    Quota quota = Quota::kPerStep;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("threshold", threshold,
            {.unit = "probability",
             .meaning = "what a sampled token must exceed to be committed beyond the quota",
             .minimum = 0});
      visit("editing_threshold", editing_threshold,
            {.unit = "probability",
             .meaning = "what another token must exceed to replace a committed one; null: no editing",
             .minimum = 0});
      visit.choice("quota", quota, {{"per_step", Quota::kPerStep}, {"cumulative", Quota::kCumulative}},
                   {.meaning = "whether the quota counts the commits of each step or of all steps so far"});
    }
  };

  explicit BlockRefinement(const Config& config) : config_(config) {}

  SelectionNeeds needs() const override {
    return {.raw_probability = true, .leave_one_out = false, .edits = config_.editing_threshold.has_value()};
  }

  void decide(const SelectionInput& input, std::span<Decision> out) const override {
    const Prediction& prediction = input.prediction;
    const std::vector<float>& probability = sampled_probability(input);
    const std::vector<int> order =
        ranked(undecided_positions(input), [&](int position) { return probability[position]; });
    const auto exceeds = [&](double threshold, int position) {
      return probability[position] > static_cast<float>(threshold);
    };
    const auto confident = static_cast<int>(std::count_if(
        order.begin(), order.end(), [&](int position) { return exceeds(config_.threshold, position); }));
    commit_first(std::max(confident, demand(input, static_cast<int>(order.size()))), order, out);
    if (!config_.editing_threshold) return;
    for (int i = 0; i < prediction.length(); ++i) {
      if (input.editable[i] != 0 && prediction.sampled[i] != input.canvas[i] &&
          exceeds(*config_.editing_threshold, i)) {
        out[i] = Decision::kCommitSampled;
      }
    }
  }

 private:
  // How many of the `open` positions this step must commit.
  int demand(const SelectionInput& input, int open) const {
    const auto length = static_cast<int>(input.canvas.size());
    const int steps = input.time.count, step = std::min(input.time.index, steps - 1);
    if (config_.quota == Quota::kPerStep) return length / steps + (step < length % steps ? 1 : 0);
    return even_total(length, input.time) - (length - open);
  }

  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(SelectionRule, BlockRefinement, "block_refinement",
                   "commits a quota and all that is probable enough, and edits what it committed",
                   "arXiv 2602.08676");

}  // namespace canvaslab
