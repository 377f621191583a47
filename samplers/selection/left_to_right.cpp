// From left to right: every step commits the leftmost undecided positions, a fixed number of them; the last
// step commits all that are left. The order of an autoregressive model, with the whole canvas in sight.
//
// Where commits stay open (uniform noise), (i + 1) `positions` are committed in all after step i = 0 .. N -
// 1, counted from the left, given and locked ones included.
#include "core/registry.h"
#include "samplers/selection/quota.h"
#include "samplers/selection/ranking.h"

namespace canvaslab {
namespace {

class LeftToRight : public SelectionRule {
 public:
  struct Config {
    int positions = 1;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("positions", positions,
            {.unit = "positions", .meaning = "how many are committed at a step", .minimum = 1});
    }
  };

  explicit LeftToRight(const Config& config) : positions_(config.positions) {}

  SelectionNeeds needs() const override { return {.draw = false}; }

  void decide(const SelectionInput& input, std::span<Decision> out) const override {
    const std::vector<int> order = undecided_positions(input);
    const std::int64_t in_all = (input.time.index + std::int64_t{1}) * positions_;
    commit_first(quota(input, static_cast<int>(order.size()), positions_, in_all), order, out);
  }

 private:
  int positions_;
};

}  // namespace

CANVASLAB_REGISTER(SelectionRule, LeftToRight, "left_to_right",
                   "commits a fixed number of positions a step, from left to right", "");

}  // namespace canvaslab
