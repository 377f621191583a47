// Ancestral sampling: every position draws its own route of the noise process's posterior
// q(z_s | z_t, x) with the sampled token as x. Under masked noise this is MDLM's sampler (arXiv 2406.07524),
// under uniform noise D3PM's (arXiv 2107.03006), also known as discrete DDIM.
#include "core/registry.h"
#include "samplers/selection/selection_rule.h"

namespace canvaslab {
namespace {

class Ancestral : public SelectionRule {
 public:
  struct Config {
    template <class Visitor>
    void fields(Visitor& /*visit*/) {}
  };

  explicit Ancestral(const Config& /*config*/) {}

  void decide(const SelectionInput& input, std::span<Decision> out) const override {
    for (int i = 0; i < input.prediction.length(); ++i) {
      if (input.undecided[i] == 0) continue;
      const Routes routes = input.noise->routes(input.canvas[i], input.prediction.sampled[i], input.survival,
                                                *input.vocabulary);
      const double u = input.draws->uniform(i, 0);
      out[i] = u < routes.commit                 ? Decision::kCommitSampled
               : u < routes.commit + routes.keep ? Decision::kKeep
                                                 : Decision::kRenoise;
    }
  }
};

}  // namespace

CANVASLAB_REGISTER(SelectionRule, Ancestral, "ancestral",
                   "draws each position's route from the noise process's posterior", "arXiv 2107.03006");

}  // namespace canvaslab
