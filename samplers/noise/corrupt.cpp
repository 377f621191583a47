#include "samplers/noise/corrupt.h"

namespace canvaslab {

void corrupt(std::span<TokenId> tokens, std::span<const double> level, std::span<const double> uniforms,
             std::span<const TokenId> noise) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (uniforms[i] < level[i]) tokens[i] = noise[i];
  }
}

}  // namespace canvaslab
