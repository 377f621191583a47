// The config group `random`: which generator the run draws from.
#pragma once

#include <cstdint>
#include <memory>

#include "core/random/random.h"

namespace canvaslab {

class RandomSource {
 public:
  virtual ~RandomSource() = default;
  virtual std::unique_ptr<Random> make(std::uint64_t seed) const = 0;
};

}  // namespace canvaslab
