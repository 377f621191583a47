// An order that looks random and depends on a seed alone, so that a sweep that is resumed meets its jobs
// again.
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace canvaslab::config {

template <class T>
void shuffle_values(std::vector<T>& values, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random() % i]);
}

}  // namespace canvaslab::config
