// Finds the longest of many strings that starts at a given place.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "models/tokenizer/flat_map.h"

namespace canvaslab {

// Const methods may run in several threads at once.
class Trie {
 public:
  static constexpr int kNone = -1;

  Trie();

  // Adds a string, which must not be empty. A string added twice keeps its first value.
  void add(std::string_view text, int value);

  // The next place from `start` on where a string begins, and the longest one there; value kNone: there is
  // none.
  struct Match {
    std::size_t begin;
    std::size_t end;
    int value;
  };
  Match find(std::string_view text, std::size_t start) const;

 private:
  std::uint32_t child(std::uint32_t node, unsigned char byte) const;

  std::array<std::uint32_t, 256> first_{};  // nodes of the first byte; 0: no string begins so
  FlatMap<std::uint32_t> children_;         // (node, byte) -> node, below the first
  std::vector<int> values_;                 // by node
};

}  // namespace canvaslab
