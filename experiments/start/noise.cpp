// `start: noise`: pure noise, as the noise process draws it.
#include "core/registry.h"
#include "experiments/start/start.h"

namespace canvaslab {
namespace {

class NoiseStart : public Start {
 public:
  struct Config {
    template <class Visitor>
    void fields(Visitor& /*visit*/) {}
  };

  explicit NoiseStart(const Config& /*config*/) {}

  std::vector<std::vector<TokenId>> canvases(const std::vector<TaskItem>& items,
                                             const Tokenizer& /*tokenizer*/, const Vocabulary& /*vocabulary*/,
                                             std::int64_t /*length*/, std::uint64_t /*seed*/) const override {
    return std::vector<std::vector<TokenId>>(items.size());
  }
};

}  // namespace

CANVASLAB_REGISTER(Start, NoiseStart, "noise", "the first canvas is pure noise", "");

}  // namespace canvaslab
