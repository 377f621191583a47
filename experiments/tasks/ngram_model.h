// An n-gram model of characters, to say how likely a text is without asking the model that wrote it.
// Witten-Bell interpolation: with a context h seen N(h) times before T(h) different characters,
//   p(c | h) = (N(hc) + T(h) p(c | h without its first character)) / (N(h) + T(h)),
// down to equal chances for all characters and one that stands for unknown ones (Witten and Bell 1991).
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "models/tokenizer/flat_map.h"

namespace canvaslab {

class NgramModel {
 public:
  // `order` characters at a time: contexts of order - 1. `texts` are valid UTF-8; no context reaches from one
  // into the next. ConfigurationError when order and the number of different characters are too large to
  // count (60 bits for order characters: order 8 for up to 127 characters, 5 for up to 4,095).
  NgramModel(int order, const std::vector<std::string_view>& texts);

  // Mean of -log p(c | what stands before) over the characters of `text`, in nats; `before` is its context.
  // `text` must not be empty. Both are valid UTF-8.
  double nats_per_character(std::string_view before, std::string_view text) const;

 private:
  struct Counts {
    std::uint32_t seen = 0, followed = 0, followers = 0;  // N as an n-gram, N(h) and T(h) as a context
  };

  std::uint32_t symbol(char32_t character) const;
  void count(std::string_view text);
  // `symbols[at]` given those before it.
  double probability(const std::vector<std::uint32_t>& symbols, size_t at) const;
  // The `length` symbols that end before `end`.
  std::uint64_t pack(const std::vector<std::uint32_t>& symbols, size_t end, size_t length) const;

  size_t order_;
  unsigned bits_ = 0;  // of a symbol
  std::map<char32_t, std::uint32_t> symbols_;
  std::vector<FlatMap<Counts>> counts_;  // by length, 0 to order
};

}  // namespace canvaslab
