// How many rows a thread takes at a time where rows are short work: enough to be worth waking it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace canvaslab {

inline constexpr std::int64_t kNumbersOfATask = 16384;

inline std::int64_t row_grain(std::int64_t width) {
  return std::max<std::int64_t>(1, kNumbersOfATask / width);
}

}  // namespace canvaslab
