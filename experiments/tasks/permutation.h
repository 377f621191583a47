// A repeatable order of many things without a list of it: each epoch of training data in another order, any
// place of it at any time.
#pragma once

#include <bit>
#include <cstdint>

#include "core/random/philox.h"

namespace canvaslab {

// What stands at `place` in the `epoch`-th order of 0 ... count - 1; place < count. A Feistel network on the
// next power of four, walked until it gives a number below `count` (at most four steps on average).
inline std::uint64_t permuted(std::uint64_t place, std::uint64_t count, std::uint64_t epoch,
                              std::uint64_t seed) {
  const auto half = static_cast<unsigned>(std::bit_width(count - 1) + 1) / 2;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  const PhiloxKey key{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  do {
    for (std::uint32_t round = 0; round < 6; ++round) {
      const std::uint64_t right = place & mask;
      const PhiloxCounter bits =
          philox({static_cast<std::uint32_t>(right), round, static_cast<std::uint32_t>(epoch),
                  static_cast<std::uint32_t>(epoch >> 32)},
                 key);
      place = right << half | ((place >> half ^ bits[0]) & mask);
    }
  } while (place >= count);
  return place;
}

}  // namespace canvaslab
