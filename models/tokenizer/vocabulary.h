// The strings of a vocabulary and their ids, both ways.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/step.h"

namespace canvaslab {

// Const methods may run in several threads at once. Ids may have gaps.
class TokenStrings {
 public:
  // Ids must be below this; a larger one is a damaged file, and would make the table by id huge.
  static constexpr TokenId kIdLimit = 1 << 24;

  enum class Added { kYes, kTextTaken, kIdTaken, kIdOutOfRange };

  TokenStrings();

  // Adds a token unless its text or its id is already there.
  Added add(std::string_view text, std::int64_t id);

  std::optional<TokenId> id(std::string_view text) const;
  // The view lasts as long as nothing is added.
  std::optional<std::string_view> token(TokenId id) const;

  std::size_t size() const { return size_; }  // tokens, gaps not counted

 private:
  struct Span {
    std::uint64_t offset = 0;
    std::uint32_t length = kAbsent;
  };
  struct Slot {
    TokenId id = -1;
    std::uint32_t tag = 0;  // upper half of the hash: most wrong slots are told without looking at the text
  };
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};

  std::string_view text_of(TokenId id) const;
  std::size_t slot(std::string_view text, std::size_t hash) const;
  void grow();

  std::string text_;         // all tokens, one after the other
  std::vector<Span> spans_;  // by id
  std::vector<Slot> slots_;  // open addressing, a power of two
  std::size_t size_ = 0;
};

}  // namespace canvaslab
