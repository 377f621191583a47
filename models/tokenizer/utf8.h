// UTF-8 and the two classes of characters that added tokens ask about.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace canvaslab {

// Where `text` stops being valid UTF-8 (byte offset), or nothing where it is valid. Overlong forms,
// surrogates and values above U+10FFFF are invalid.
std::optional<std::size_t> invalid_utf8(std::string_view text);

// Bytes of the character whose first byte is `lead`; `lead` must start a valid character.
inline std::size_t utf8_length(char lead) {
  auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// The character at the start of `text`, which must be valid and not empty.
char32_t first_character(std::string_view text);
// The character at the end of `text`, which must be valid and not empty.
char32_t last_character(std::string_view text);

// Unicode's White_Space.
bool is_white_space(char32_t character);
// What \w means for Unicode: letters, marks, decimal digits, connector punctuation, letter numbers, joiners.
bool is_word_character(char32_t character);

// `text` without the white space at its start / at its end.
std::string_view without_leading_space(std::string_view text);
std::string_view without_trailing_space(std::string_view text);

}  // namespace canvaslab
