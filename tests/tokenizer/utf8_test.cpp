// UTF-8 against its definition: every code point, and every string of up to three bytes.
#include "models/tokenizer/utf8.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace canvaslab {
namespace {

std::string encoded(char32_t c) {
  auto byte = [](char32_t value) { return static_cast<char>(value); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0 | c >> 6), byte(0x80 | (c & 0x3F))};
  if (c < 0x10000) return {byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 0x3F)), byte(0x80 | (c & 0x3F))};
  return {byte(0xF0 | c >> 18), byte(0x80 | (c >> 12 & 0x3F)), byte(0x80 | (c >> 6 & 0x3F)),
          byte(0x80 | (c & 0x3F))};
}

TEST(Utf8, EveryCodePointReadsBack) {
  for (char32_t c = 0; c < 0x110000; ++c) {
    std::string text = encoded(c);
    bool surrogate = c >= 0xD800 && c < 0xE000;
    ASSERT_EQ(invalid_utf8(text).has_value(), surrogate) << std::hex << static_cast<unsigned>(c);
    if (surrogate) continue;
    ASSERT_EQ(first_character(text + "x"), c);
    ASSERT_EQ(last_character("x" + text), c);
  }
}

TEST(Utf8, OnlyEncodedCodePointsAreValid) {
  std::set<std::string> valid;
  for (char32_t c = 0; c < 0x10000; ++c) {
    if (c < 0xD800 || c >= 0xE000) valid.insert(encoded(c));
  }
  for (int first = 0x80; first < 0x100; ++first) {
    EXPECT_TRUE(invalid_utf8(std::string(1, static_cast<char>(first)))) << first;
    for (int second = 0x80; second < 0x100; ++second) {
      std::string two = {static_cast<char>(first), static_cast<char>(second)};
      ASSERT_EQ(!invalid_utf8(two), valid.contains(two)) << first << " " << second;
      for (int third = 0x80; third < 0xD0; ++third) {
        std::string three = two + static_cast<char>(third);
        ASSERT_EQ(!invalid_utf8(three), valid.contains(three)) << first << " " << second << " " << third;
      }
    }
  }
}

TEST(Utf8, TellsWhereTextStopsBeingValid) {
  EXPECT_EQ(invalid_utf8("0123456789abcdef"), std::nullopt);
  EXPECT_EQ(invalid_utf8("0123456789\xC3\xA9\xFF"), 12u);
}

// Unicode's White_Space property, in full.
TEST(Utf8, WhiteSpaceIsUnicodes) {
  std::set<char32_t> expected = {9,      10,     11,     12,     13,     0x20,   0x85,   0xA0,   0x1680,
                                 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008,
                                 0x2009, 0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000};
  for (char32_t c = 0; c < 0x110000; ++c)
    ASSERT_EQ(is_white_space(c), expected.contains(c)) << static_cast<unsigned>(c);
}

TEST(Utf8, WordCharactersOfEveryKind) {
  using namespace std::string_view_literals;
  for (char32_t c : U"aZ09_\u00E9\u00AA\u0301\u0660\u2160\u24B6\u203F\u200D\u4E00\U0001D400\U000E0100"sv) {
    EXPECT_TRUE(is_word_character(c)) << std::hex << static_cast<unsigned>(c);
  }
  for (char32_t c : U" -.\u00B2\u00BD\u2019\u2581\u3000\uE000\U0001F600\U0010FFFF"sv) {
    EXPECT_FALSE(is_word_character(c)) << std::hex << static_cast<unsigned>(c);
  }
}

TEST(Utf8, StripsWhiteSpaceOfAnyLength) {
  EXPECT_EQ(without_leading_space(" \u00A0\u3000\na "), "a ");
  EXPECT_EQ(without_trailing_space(" a\u2003\u00A0\t"), " a");
  EXPECT_EQ(without_trailing_space(" \u3000"), "");
}

}  // namespace
}  // namespace canvaslab
