// `model: hmm`: a hidden Markov model whose posteriors are exact, drawn from a seed; every hidden state is
// equally likely to be the first.
#include "core/registry.h"
#include "models/exact/hidden_markov_model.h"
#include "models/exact/random_rows.h"
#include "models/exact/source/exact_source.h"

namespace canvaslab {
namespace {

class Hmm : public ModelSource {
 public:
  struct Config : ExactOptions {
    int states = 4;
    int symbols = 8;
    int length = 32;
    double sharpness = 3;
    double least = 0.1;
    std::uint64_t seed = 1;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("states", states, {.unit = "states", .meaning = "hidden ones", .minimum = 1, .maximum = 1024});
      visit("symbols", symbols, {.unit = "symbols", .meaning = "K", .minimum = 1, .maximum = 52});
      visit("length", length,
            {.unit = "positions", .meaning = "L, of the canvas", .minimum = 1, .maximum = 4096});
      visit("sharpness", sharpness,
            {.meaning = "how unequal the drawn weights of a row are: e^sharpness, e exponential",
             .above = 0,
             .maximum = 100});
      visit("least", least,
            {.unit = "probability",
             .meaning = "share of equal chances in every row",
             .minimum = 0,
             .maximum = 1});
      visit("seed", seed, {.meaning = "of the drawn rows", .minimum = 0});
      ExactOptions::fields(visit);
    }
  };

  explicit Hmm(const Config& config) : config_(config) {}

  Model load() const override {
    const auto states = static_cast<size_t>(config_.states), width = static_cast<size_t>(config_.symbols);
    const RowShape shape{config_.sharpness, config_.least};
    return exact_model(
        std::make_shared<HiddenMarkovModel>(config_.symbols, config_.length, std::vector<double>(states, 1.0),
                                            random_rows(config_.seed, 0, states, states, shape),
                                            random_rows(config_.seed, 1, states, width, shape)),
        config_);
  }

  Model inspect() const override { return load(); }

 private:
  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(ModelSource, Hmm, "hmm", "a hidden Markov model whose posteriors are exact", "");

}  // namespace canvaslab
