// What noise is: what a canvas starts from, what a rejected position becomes, and which positions may still
// change.
#pragma once

#include <span>
#include <vector>

#include "core/random/random.h"
#include "core/step.h"
#include "core/vocabulary.h"

namespace canvaslab {

class NoiseProcess {
 public:
  virtual ~NoiseProcess() = default;

  // Refuses a vocabulary that this process cannot work on (ConfigurationError).
  virtual void check(const Vocabulary& /*vocabulary*/) const {}

  // Pure noise for the rows' canvases: out [B * L].
  virtual void draw(std::span<const StreamKey> rows, Purpose purpose, const Vocabulary& vocabulary,
                    std::int64_t length, Random& random, std::span<TokenId> out) const = 0;

  // Ids that the model must never predict, because they are noise only.
  virtual std::vector<TokenId> suppressed(const Vocabulary& /*vocabulary*/) const { return {}; }

  // Whether a position that holds `token` may still be changed.
  virtual bool undecided(TokenId token, const Vocabulary& vocabulary) const = 0;
};

}  // namespace canvaslab
