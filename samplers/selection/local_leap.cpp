// LocalLeap (arXiv 2510.07081): undecided positions whose confidence reaches `anchor` are anchors and are
// committed; within `radius` positions of an anchor a lower confidence, `threshold`, suffices. At least the
// most confident position is committed; the rest stays noise. Only this step's anchors count, not what was
// decided before. At temperature 0 a confidence is the plain softmax's.
#include <fmt/format.h>

#include <cstdlib>

#include "core/registry.h"
#include "samplers/selection/ranking.h"

namespace canvaslab {
namespace {

class LocalLeap : public SelectionRule {
 public:
  struct Config {
    double anchor = 0.9;
    double threshold = 0.75;
    int radius = 4;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("anchor", anchor,
            {.unit = "probability", .meaning = "least confidence of an anchor", .minimum = 0});
      visit("threshold", threshold,
            {.unit = "probability",
             .meaning = "least confidence that commits a position near an anchor",
             .minimum = 0});
      visit("radius", radius,
            {.unit = "positions",
             .meaning = "how far an anchor reaches; 0 leaves the anchors alone",
             .minimum = 0});
    }
  };

  explicit LocalLeap(const Config& config)
      : anchor_(static_cast<float>(config.anchor)),
        threshold_(static_cast<float>(config.threshold)),
        radius_(config.radius) {
    if (config.threshold > config.anchor) {
      throw ConfigurationError(fmt::format("selection.threshold = {} is above selection.anchor = {}",
                                           config.threshold, config.anchor));
    }
  }

  SelectionNeeds needs() const override { return {.raw_probability = true, .draw = false}; }

  void decide(const SelectionInput& input, std::span<Decision> out) const override {
    const std::vector<float>& c = confidence(input);
    const std::vector<int> order =
        ranked(undecided_positions(input), [&](int position) { return c[position]; });
    commit_first(1, order, out);
    const auto anchors = std::find_if(order.begin(), order.end(), [&](int i) { return c[i] < anchor_; });
    for (const int i : order) {
      const bool near =
          std::any_of(order.begin(), anchors, [&](int anchor) { return std::abs(anchor - i) <= radius_; });
      if (near && c[i] >= threshold_) out[i] = Decision::kCommitSampled;
    }
  }

 private:
  float anchor_, threshold_;  // float32 as the statistics are, so that equal numbers compare equal
  int radius_;
};

}  // namespace

CANVASLAB_REGISTER(SelectionRule, LocalLeap, "local_leap",
                   "commits confident positions, and less confident ones near them", "arXiv 2510.07081");

}  // namespace canvaslab
