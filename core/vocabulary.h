// What the loop needs to know of the token ids: how many there are, and which have a meaning.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/step.h"

namespace canvaslab {

struct Vocabulary {
  std::int64_t size = 0;           // V
  std::optional<TokenId> mask;     // the noise of masked diffusion
  std::optional<TokenId> padding;  // what follows the end of a sequence
  std::vector<TokenId> end;        // ids that end a sequence

  bool ends(TokenId token) const { return std::find(end.begin(), end.end(), token) != end.end(); }
};

}  // namespace canvaslab
