// Masked (absorbing) noise: every unknown position holds the mask token; a revealed token is locked.
#include <algorithm>

#include "core/error.h"
#include "core/registry.h"
#include "samplers/noise/noise_process.h"

namespace canvaslab {
namespace {

class Masked : public NoiseProcess {
 public:
  struct Config {
    template <class Visitor>
    void fields(Visitor& /*visit*/) {}
  };

  explicit Masked(const Config& /*config*/) {}

  void check(const Vocabulary& vocabulary) const override {
    if (!vocabulary.mask) {
      throw ConfigurationError(
          "noise: masked needs a mask token, and the checkpoint's tokenizer has no '<mask>'; name its id "
          "with "
          "model.mask_token=ID, or use noise=uniform");
    }
  }

  void draw(std::span<const StreamKey> /*rows*/, Purpose /*purpose*/, const Vocabulary& vocabulary,
            std::int64_t /*length*/, Random& /*random*/, std::span<TokenId> out) const override {
    std::fill(out.begin(), out.end(), *vocabulary.mask);
  }

  std::vector<double> prior(const Vocabulary& vocabulary) const override {
    std::vector<double> law(static_cast<size_t>(vocabulary.size), 0.0);
    law[static_cast<size_t>(*vocabulary.mask)] = 1;
    return law;
  }

  std::vector<TokenId> suppressed(const Vocabulary& vocabulary) const override { return {*vocabulary.mask}; }

  bool undecided(TokenId token, const Vocabulary& vocabulary) const override {
    return token == *vocabulary.mask;
  }

  bool routes_look_at_candidate() const override { return false; }

  // MDLM: a mask stays with probability (1 - alpha_s) / (1 - alpha_t); a revealed token stays.
  Routes routes(TokenId token, TokenId /*candidate*/, const Survival& survival,
                const Vocabulary& vocabulary) const override {
    if (!undecided(token, vocabulary)) return {.commit = 0, .keep = 1, .renoise = 0};
    if (survival.now >= 1) return {.commit = 1, .keep = 0, .renoise = 0};
    const double stays = (1 - survival.next) / (1 - survival.now);
    return {.commit = 1 - stays, .keep = 0, .renoise = stays};
  }

  std::optional<ElboForm> elbo_form() const override { return ElboForm::kCleanToken; }
};

}  // namespace

CANVASLAB_REGISTER(NoiseProcess, Masked, "masked",
                   "unknown positions hold the mask token; a revealed token is locked", "arXiv 2406.07524");

}  // namespace canvaslab
