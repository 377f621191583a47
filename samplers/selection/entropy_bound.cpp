// The entropy bound (arXiv 2505.24857): sort positions by entropy, take the longest prefix whose entropies,
// without the largest of them, sum to at most the bound; the rest is re-noised.
//
//   accept rank k  iff  H_0 + ... + H_{k-1} <= bound        (H ascending, nats)
//
// The sum bounds the mutual information that is lost by drawing the accepted tokens independently. The
// position with the lowest entropy is always accepted. Equal entropies rank by position. Acceptance is
// decided afresh at every step.
#include "core/registry.h"
#include "samplers/selection/ranking.h"

namespace canvaslab {
namespace {

class EntropyBound : public SelectionRule {
 public:
  struct Config {
    double bound = 0.1;
    Decision commit = Decision::kCommitSampled;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("bound", bound,
            {.unit = "nats",
             .meaning = "largest sum of the accepted entropies without the largest",
             .minimum = 0});
      visit.choice("commit", commit,
                   {{"sampled", Decision::kCommitSampled}, {"argmax", Decision::kCommitArgmax}},
                   {.meaning = "which token an accepted position carries"});
    }
  };

  explicit EntropyBound(const Config& config)
      : bound_(static_cast<float>(config.bound)), commit_(config.commit) {}

  SelectionNeeds needs() const override { return {.draw = false}; }

  void decide(const SelectionInput& input, std::span<Decision> out) const override {
    std::fill(out.begin(), out.end(), Decision::kRenoise);
    double before = 0;  // the entropies of all lower ranks
    const std::vector<int> order =
        ranked(undecided_positions(input), [&](int position) { return -input.prediction.entropy[position]; });
    for (const int position : order) {
      if (before > bound_) break;
      out[position] = commit_;
      before += input.prediction.entropy[position];
    }
  }

  // The bound less the sum that the last accepted position was compared with.
  float slack(const SelectionInput& input, std::span<const Decision> decision) const override {
    double sum = 0, largest = 0;
    for (size_t i = 0; i < decision.size(); ++i) {
      if (input.undecided[i] == 0 || decision[i] == Decision::kRenoise) continue;
      sum += input.prediction.entropy[i];
      largest = std::max<double>(largest, input.prediction.entropy[i]);
    }
    return static_cast<float>(bound_ - (sum - largest));
  }

 private:
  float bound_;  // float32 as the entropies are, so that equal numbers compare equal
  Decision commit_;
};

}  // namespace

CANVASLAB_REGISTER(SelectionRule, EntropyBound, "entropy_bound",
                   "accepts the most certain positions while their entropies sum to at most a bound",
                   "arXiv 2505.24857");

}  // namespace canvaslab
