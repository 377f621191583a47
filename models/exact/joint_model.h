// A joint distribution over sequences that can be asked anything: the truth that samplers are judged by.
//
// Shapes: L positions, K symbols (ids 0 .. K - 1). Everything is float64; logarithms and entropies in nats.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/step.h"

namespace canvaslab {

// What is known of a sequence after something was observed of it.
struct Posterior {
  std::vector<double>
      marginals;            // [L, K]: p(x_i = v | observed); all zero when the observation is impossible
  double log_evidence = 0;  // log of the sum over x of p(x) times its evidence; minus infinity likewise
};

class JointModel {
 public:
  virtual ~JointModel() = default;

  virtual int length() const = 0;   // L
  virtual int symbols() const = 0;  // K

  // `evidence` [L, K], not negative: how likely what was observed at a position is for each of its symbols.
  // All ones: nothing was observed. A single one in a row: that symbol was seen.
  virtual Posterior posterior(std::span<const double> evidence) const = 0;

  // Of a whole sequence [L]; minus infinity when it is impossible.
  virtual double log_probability(std::span<const TokenId> sequence) const = 0;

  // Of the whole sequence; nothing where there is no closed form.
  virtual std::optional<double> entropy() const = 0;
};

}  // namespace canvaslab
