// Uniform-state noise: random tokens of the whole vocabulary, special tokens included. Nothing on the canvas
// marks a token as noise, so every position stays open and errors can be corrected until the end.
#include <cmath>

#include "core/registry.h"
#include "samplers/noise/noise_process.h"

namespace canvaslab {
namespace {

class Uniform : public NoiseProcess {
 public:
  struct Config {
    template <class Visitor>
    void fields(Visitor& /*visit*/) {}
  };

  explicit Uniform(const Config& /*config*/) {}

  void draw(std::span<const StreamKey> rows, Purpose purpose, const Vocabulary& vocabulary,
            std::int64_t length, Random& random, std::span<TokenId> out) const override {
    random.tokens(rows, purpose, vocabulary.size, length, out);
  }

  std::vector<double> prior(const Vocabulary& vocabulary) const override {
    return std::vector<double>(static_cast<size_t>(vocabulary.size),
                               1.0 / static_cast<double>(vocabulary.size));
  }

  bool undecided(TokenId /*token*/, const Vocabulary& /*vocabulary*/) const override { return true; }

  // D3PM with a uniform transition, a = alpha_t / alpha_s: weights before normalising
  //   commit  alpha_s (1 - a) / V + a alpha_s [token = candidate]
  //   keep    a (1 - alpha_s) / V
  //   renoise (1 - a) (1 - alpha_s) / V
  // multiplied by V here.
  Routes routes(TokenId token, TokenId candidate, const Survival& survival,
                const Vocabulary& vocabulary) const override {
    const double next = survival.next, ratio = next > 0 ? survival.now / next : 0;
    const double agrees = token == candidate ? static_cast<double>(vocabulary.size) : 0;
    const double commit = next * (1 - ratio) + ratio * next * agrees, keep = ratio * (1 - next),
                 renoise = (1 - ratio) * (1 - next), sum = commit + keep + renoise;
    if (sum <= 0) return {.commit = 1, .keep = 0, .renoise = 0};  // alpha_t = alpha_s = 1, clashing tokens
    return {commit / sum, keep / sum, renoise / sum};
  }

  // p(z | x) is 1 + V alpha / (1 - alpha) times larger for x = z than for any other x.
  std::optional<double> leave_one_out_shift(double survival, const Vocabulary& vocabulary) const override {
    return -std::log1p(static_cast<double>(vocabulary.size) * survival / (1 - survival));
  }

  std::optional<ElboForm> elbo_form() const override { return ElboForm::kJumpRates; }
};

}  // namespace

CANVASLAB_REGISTER(NoiseProcess, Uniform, "uniform",
                   "random tokens of the whole vocabulary; errors stay correctable", "arXiv 2107.03006");

}  // namespace canvaslab
