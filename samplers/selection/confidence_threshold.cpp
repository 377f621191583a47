// The confidence threshold of masked diffusion (Fast-dLLM, arXiv 2505.22618): commit every position whose
// confidence reaches the threshold, and always the most confident one; the rest stays noise.
#include <algorithm>
#include <vector>

#include "core/registry.h"
#include "samplers/selection/selection_rule.h"

namespace canvaslab {
namespace {

class ConfidenceThreshold : public SelectionRule {
 public:
  enum class Confidence { kMaximum, kSampled };

  struct Config {
    double threshold = 0.9;
    Confidence confidence = Confidence::kMaximum;
    Decision commit = Decision::kCommitSampled;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("threshold", threshold,
            {.unit = "probability",
             .meaning = "least confidence that commits; 0 commits all, above 1 only the best",
             .minimum = 0});
      visit.choice(
          "confidence", confidence, {{"maximum", Confidence::kMaximum}, {"sampled", Confidence::kSampled}},
          {.meaning = "whose probability is compared: the most probable token's or the sampled one's"});
      visit.choice("commit", commit,
                   {{"sampled", Decision::kCommitSampled}, {"argmax", Decision::kCommitArgmax}},
                   {.meaning = "which token a committed position carries"});
    }
  };

  explicit ConfidenceThreshold(const Config& config)
      : threshold_(static_cast<float>(config.threshold)),
        confidence_(config.confidence),
        commit_(config.commit) {}

  SelectionNeeds needs() const override { return {.draw = confidence_ == Confidence::kSampled}; }

  void decide(const SelectionInput& input, std::span<Decision> out) const override {
    const std::vector<float>& confidence = confidence_ == Confidence::kMaximum
                                               ? input.prediction.confidence
                                               : input.prediction.sampled_probability;
    std::fill(out.begin(), out.end(), Decision::kRenoise);
    int best = -1;
    for (int i = 0; i < input.prediction.length(); ++i) {
      if (input.undecided[i] == 0) continue;
      if (best < 0 || confidence[i] > confidence[best]) best = i;
      if (confidence[i] >= threshold_) out[i] = commit_;
    }
    if (best >= 0) out[best] = commit_;
  }

 private:
  float threshold_;  // float32 as the statistics are, so that equal numbers compare equal
  Confidence confidence_;
  Decision commit_;
};

}  // namespace

CANVASLAB_REGISTER(SelectionRule, ConfidenceThreshold, "confidence_threshold",
                   "commits positions whose confidence reaches a threshold, and always the best",
                   "arXiv 2505.22618");

}  // namespace canvaslab
