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

  bool looks_at_draw(const NoiseProcess& noise) const override { return noise.routes_look_at_candidate(); }

  void decide(const SelectionInput& input, std::span<Decision> out) const override {
    for (int i = 0; i < input.prediction.length(); ++i) {
      if (input.undecided[i] == 0) continue;
      const Routes routes = routes_of(input, i);
      const double u = input.draws->uniform(i, 0);
      out[i] = u < routes.commit                 ? Decision::kCommitSampled
               : u < routes.commit + routes.keep ? Decision::kKeep
                                                 : Decision::kRenoise;
    }
  }

  // Positions are independent: every combination of their routes.
  std::vector<SelectionOutcome> outcomes(const SelectionInput& input) const override {
    std::vector<SelectionOutcome> all{{1, std::vector<Decision>(input.canvas.size(), Decision::kKeep)}};
    for (int i = 0; i < input.prediction.length(); ++i) {
      if (input.undecided[i] == 0) continue;
      const Routes routes = routes_of(input, i);
      std::vector<SelectionOutcome> longer;
      for (const auto& [probability, decision] : {std::pair{routes.commit, Decision::kCommitSampled},
                                                  {routes.keep, Decision::kKeep},
                                                  {routes.renoise, Decision::kRenoise}}) {
        if (probability <= 0) continue;
        for (SelectionOutcome outcome : all) {
          outcome.probability *= probability;
          outcome.decision[i] = decision;
          longer.push_back(std::move(outcome));
        }
      }
      all = std::move(longer);
    }
    return all;
  }

 private:
  static Routes routes_of(const SelectionInput& input, int position) {
    return input.noise->routes(input.canvas[position], input.prediction.sampled[position], input.survival,
                               *input.vocabulary);
  }
};

}  // namespace

CANVASLAB_REGISTER(SelectionRule, Ancestral, "ancestral",
                   "draws each position's route from the noise process's posterior", "arXiv 2107.03006");

}  // namespace canvaslab
