// The random numbers of one generated example: a function of (seed, split, index) alone, so that any example
// can be made at any time. Philox keyed by the seed, counted by index and split.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "core/random/philox.h"
#include "experiments/tasks/split.h"

namespace canvaslab {

class ExampleRandom {
 public:
  ExampleRandom(std::uint64_t seed, Split split, std::uint64_t index)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        counter_{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), 0,
                 static_cast<std::uint32_t>(split)} {}

  // A whole number in [0, bound), each equally likely. `bound` must be positive.
  std::uint32_t below(std::uint32_t bound) {
    // Lemire's method: the high half of a product, redrawn where it would favour some numbers.
    std::uint64_t product = std::uint64_t{word()} * bound;
    while (static_cast<std::uint32_t>(product) < (0U - bound) % bound)
      product = std::uint64_t{word()} * bound;
    return static_cast<std::uint32_t>(product >> 32);
  }

  // A whole number in [least, most].
  int between(int least, int most) {
    return least + static_cast<int>(below(static_cast<std::uint32_t>(most - least + 1)));
  }

  template <class T>
  void shuffle(std::span<T> values) {
    for (size_t left = values.size(); left > 1; --left)
      std::swap(values[left - 1], values[below(static_cast<std::uint32_t>(left))]);
  }

 private:
  std::uint32_t word() {
    if (used_ == 4) {
      words_ = philox(counter_, key_);
      ++counter_[2];
      used_ = 0;
    }
    return words_[used_++];
  }

  PhiloxKey key_;
  PhiloxCounter counter_;
  PhiloxCounter words_{};
  unsigned used_ = 4;
};

}  // namespace canvaslab
