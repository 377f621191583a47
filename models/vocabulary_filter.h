// Top-k and top-p: which tokens of the vocabulary may be drawn.
#pragma once

#include <cstdint>
#include <optional>

namespace canvaslab {

// The k most probable tokens, and of those the most probable ones whose probabilities reach p together (the
// one that crosses p included). Statistics are of what is left; self-conditioning sees everything.
struct VocabularyFilter {
  std::optional<std::int64_t> top_k;
  std::optional<double> top_p;

  bool active() const { return top_k.has_value() || top_p.has_value(); }
};

}  // namespace canvaslab
