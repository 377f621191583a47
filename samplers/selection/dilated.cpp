// The dilated schedule (DUS, arXiv 2506.19037): a fixed order that reveals far apart positions together, so
// that tokens drawn independently depend little on each other. With base a and P the smallest power of a that
// is at least L, the gap of group t = 1, 2, ... is P / a^t, down to 1, and
//
//   group t = the positions 0 .. L - 1 that are multiples of its gap and in no group before
//
// Each step commits one group: the first that has an undecided position. Positions of one group are at least
// its gap apart, and before every group the canvas is revealed at all multiples of the larger gap. With base
// 2 and L > 2 no two neighbours are revealed together; a canvas takes log2 P steps.
//
// With fewer steps than groups the last step commits all that is left: a larger base makes fewer groups.
// Where commits stay open (uniform noise), step i = 0, 1, ... commits the groups 1 .. i + 1.
#include "core/registry.h"
#include "samplers/selection/quota.h"
#include "samplers/selection/ranking.h"

namespace canvaslab {
namespace {

class Dilated : public SelectionRule {
 public:
  struct Config {
    int base = 2;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("base", base, {.meaning = "by what the gap shrinks from one group to the next", .minimum = 2});
    }
  };

  explicit Dilated(const Config& config) : base_(config.base) {}

  SelectionNeeds needs() const override { return {.draw = false}; }

  void decide(const SelectionInput& input, std::span<Decision> out) const override {
    const std::vector<int> positions = undecided_positions(input);
    const std::int64_t gap = gap_of_step(input, positions);
    for (const int position : positions)
      out[position] = position % gap == 0 ? Decision::kCommitSampled : Decision::kRenoise;
  }

 private:
  // The multiples of this gap are to be committed after the step.
  std::int64_t gap_of_step(const SelectionInput& input, const std::vector<int>& positions) const {
    if (is_last(input.time)) return 1;
    std::int64_t gap = 1;
    while (gap < static_cast<std::int64_t>(input.undecided.size())) gap *= base_;
    const auto smaller = [&] { return std::max<std::int64_t>(gap / base_, 1); };
    gap = smaller();
    if (commits_stay_open(input)) {
      for (int step = 0; step < input.time.index && gap > 1; ++step) gap = smaller();
      return gap;
    }
    while (gap > 1 && std::none_of(positions.begin(), positions.end(), [&](int i) { return i % gap == 0; }))
      gap = smaller();
    return gap;
  }

  int base_;
};

}  // namespace

CANVASLAB_REGISTER(SelectionRule, Dilated, "dilated",
                   "commits groups of far apart positions in a fixed order, with ever smaller gaps",
                   "arXiv 2506.19037");

}  // namespace canvaslab
