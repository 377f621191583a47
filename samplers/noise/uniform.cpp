// Uniform-state noise: random tokens of the whole vocabulary, special tokens included. Nothing on the canvas
// marks a token as noise, so every position stays open and errors can be corrected until the end.
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

  bool undecided(TokenId /*token*/, const Vocabulary& /*vocabulary*/) const override { return true; }
};

}  // namespace

CANVASLAB_REGISTER(NoiseProcess, Uniform, "uniform",
                   "random tokens of the whole vocabulary; errors stay correctable", "arXiv 2107.03006");

}  // namespace canvaslab
