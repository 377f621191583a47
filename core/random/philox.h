// Philox4x32-10, the counter-based generator of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"
// (SC 2011): a keyed bijection of 128-bit counters whose outputs pass as random. No state, so any draw can be
// made at any time.
#pragma once

#include <array>
#include <cstdint>

namespace canvaslab {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

PhiloxCounter philox(PhiloxCounter counter, PhiloxKey key);

// Two words of output as a double in [0, 1) with all 53 bits of its fraction drawn. Never 1.
double unit_interval(std::uint32_t high, std::uint32_t low);

}  // namespace canvaslab
