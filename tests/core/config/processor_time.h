// Bounds on the work that hostile input may cause, in processor time: other processes do not count.
#pragma once

#include <ctime>

namespace canvaslab::config {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kHostileInputSeconds = 20;
#else
constexpr double kHostileInputSeconds = 1;
#endif

class ProcessorTime {
 public:
  double seconds() const { return static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC; }

 private:
  std::clock_t start_ = std::clock();
};

}  // namespace canvaslab::config
