// How many threads the machine can run at once: the default wherever `threads` is left open.
#pragma once

#include <algorithm>
#include <thread>

namespace canvaslab {

inline int core_count() {
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace canvaslab
