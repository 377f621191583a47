// The factor rule (Fast-dLLM, arXiv 2505.22618): with the confidences c_(1) >= c_(2) >= ... of the undecided
// positions, commit the n most confident ones, n the largest number with
//
//   (n + 1) (1 - c_(n)) < factor
//
// and always the best one; the rest stays noise. The more tokens are drawn at once, the surer the least sure
// of them has to be. Equal confidences rank by position. At temperature 0 a confidence is the plain
// softmax's.
#include "core/registry.h"
#include "samplers/selection/ranking.h"

namespace canvaslab {
namespace {

class Factor : public SelectionRule {
 public:
  struct Config {
    double factor = 1;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("factor", factor,
            {.meaning = "what (n + 1) (1 - confidence) of the n-th position must stay below; 0 commits only "
                        "the best",
             .minimum = 0});
    }
  };

  explicit Factor(const Config& config) : factor_(config.factor) {}

  SelectionNeeds needs() const override { return {.raw_probability = true, .draw = false}; }

  void decide(const SelectionInput& input, std::span<Decision> out) const override {
    const std::vector<float>& c = confidence(input);
    const std::vector<int> order =
        ranked(undecided_positions(input), [&](int position) { return c[position]; });
    int commits = 1;
    // The left side grows with n, so that the first number that fails ends the search.
    const auto passes = [&](int n) { return (n + 1) * (1 - double{c[order[n - 1]]}) < factor_; };
    while (commits < static_cast<int>(order.size()) && passes(commits + 1)) ++commits;
    commit_first(commits, order, out);
  }

 private:
  double factor_;
};

}  // namespace

CANVASLAB_REGISTER(SelectionRule, Factor, "factor",
                   "commits the more positions at once the surer the least sure of them is",
                   "arXiv 2505.22618");

}  // namespace canvaslab
