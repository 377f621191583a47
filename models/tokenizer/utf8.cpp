// UTF-8 by hand: the standard library offers no validation and no classes beyond ASCII.
#include "models/tokenizer/utf8.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "models/tokenizer/word_characters.h"

namespace canvaslab {

namespace {

std::uint8_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<std::uint8_t>(text[at]);
}

// Length of the valid character at `at`, or 0.
std::size_t valid_length(std::string_view text, std::size_t at) {
  std::uint8_t lead = byte_at(text, at);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  std::size_t length = utf8_length(text[at]);
  if (at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, at + i) & 0xC0) != 0x80) return 0;
  }
  std::uint8_t second = byte_at(text, at + 1);
  bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  bool surrogate = lead == 0xED && second > 0x9F;
  bool too_large = lead == 0xF4 && second > 0x8F;
  return overlong || surrogate || too_large ? 0 : length;
}

bool is_ascii(std::string_view eight_bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, eight_bytes.data(), sizeof word);
  return (word & 0x8080808080808080u) == 0;
}

}  // namespace

std::optional<std::size_t> invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (text.size() - at >= 8 && is_ascii(text.substr(at, 8))) {
      at += 8;
      continue;
    }
    std::size_t length = valid_length(text, at);
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

char32_t first_character(std::string_view text) {
  std::size_t length = utf8_length(text[0]);
  if (length == 1) return byte_at(text, 0);
  char32_t character = byte_at(text, 0) & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) character = character << 6 | (byte_at(text, i) & 0x3Fu);
  return character;
}

char32_t last_character(std::string_view text) {
  std::size_t start = text.size() - 1;
  while ((byte_at(text, start) & 0xC0) == 0x80) --start;
  return first_character(text.substr(start));
}

bool is_white_space(char32_t character) {
  static constexpr std::array<char32_t, 9> kSingles = {0x20,   0x85,   0xA0,   0x1680, 0x2028,
                                                       0x2029, 0x202F, 0x205F, 0x3000};
  return (character >= 0x09 && character <= 0x0D) || (character >= 0x2000 && character <= 0x200A) ||
         std::ranges::binary_search(kSingles, character);
}

bool is_word_character(char32_t character) {
  const auto* after =
      std::upper_bound(std::begin(kWordCharacters), std::end(kWordCharacters), character,
                       [](char32_t value, const CharacterRange& range) { return value < range.first; });
  return after != std::begin(kWordCharacters) && character <= std::prev(after)->last;
}

std::string_view without_leading_space(std::string_view text) {
  while (!text.empty() && is_white_space(first_character(text))) text.remove_prefix(utf8_length(text[0]));
  return text;
}

std::string_view without_trailing_space(std::string_view text) {
  while (!text.empty()) {
    char32_t last = last_character(text);
    if (!is_white_space(last)) break;
    text.remove_suffix(last < 0x80 ? 1 : last < 0x800 ? 2 : 3);
  }
  return text;
}

}  // namespace canvaslab
