// Hierarchical decoding (dInfer, arXiv 2510.08666): of every contiguous run of undecided positions the most
// confident one is committed if its confidence is above `low_threshold`; so is every position above
// `threshold`; if that is none, the single best one. Commits are spread over the canvas, and each splits a
// run in two. Equal confidences rank by position. At temperature 0 a confidence is the plain softmax's.
#include <fmt/format.h>

#include "core/registry.h"
#include "samplers/selection/ranking.h"

namespace canvaslab {
namespace {

class Hierarchical : public SelectionRule {
 public:
  struct Config {
    double threshold = 0.9;
    double low_threshold = 0.4;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("threshold", threshold,
            {.unit = "probability",
             .meaning = "what a confidence must exceed to commit its position wherever it stands",
             .minimum = 0});
      visit("low_threshold", low_threshold,
            {.unit = "probability",
             .meaning = "what the best confidence of a run must exceed to be committed",
             .minimum = 0});
    }
  };

  explicit Hierarchical(const Config& config)
      : threshold_(static_cast<float>(config.threshold)),
        low_threshold_(static_cast<float>(config.low_threshold)) {
    if (config.low_threshold > config.threshold) {
      throw ConfigurationError(fmt::format("selection.low_threshold = {} is above selection.threshold = {}",
                                           config.low_threshold, config.threshold));
    }
  }

  SelectionNeeds needs() const override { return {.raw_probability = true, .draw = false}; }

  void decide(const SelectionInput& input, std::span<Decision> out) const override {
    const std::vector<float>& c = confidence(input);
    const std::vector<int> positions = undecided_positions(input);
    commit_first(1, ranked(positions, [&](int i) { return c[i]; }), out);
    for (size_t begin = 0, end = 0; begin < positions.size(); begin = end) {
      int best = positions[begin];
      for (end = begin;
           end < positions.size() && positions[end] == positions[begin] + static_cast<int>(end - begin);
           ++end) {
        if (c[positions[end]] > threshold_) out[positions[end]] = Decision::kCommitSampled;
        if (c[positions[end]] > c[best]) best = positions[end];
      }
      if (c[best] > low_threshold_) out[best] = Decision::kCommitSampled;
    }
  }

 private:
  float threshold_, low_threshold_;  // float32 as the statistics are, so that equal numbers compare equal
};

}  // namespace

CANVASLAB_REGISTER(SelectionRule, Hierarchical, "hierarchical",
                   "commits the best position of every undecided run, and all confident ones",
                   "arXiv 2510.08666");

}  // namespace canvaslab
