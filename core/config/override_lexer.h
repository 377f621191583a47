// Splits the value of an override into tokens. At each place the longest token wins, and among equals the
// first kind.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace canvaslab::config {

enum class TokenKind {
  kParenthesisOpen,
  kComma,
  kParenthesisClose,
  kBracketOpen,
  kBracketClose,
  kBraceOpen,
  kBraceClose,
  kColon,
  kEqual,
  kReal,
  kInteger,
  kBool,
  kNull,
  kOther,  // one of / - \ + . $ % * @ ? |
  kName,
  kEscape,  // backslash pairs: \\ \, \= and so on
  kSpace,
  kQuoted,
  kInterpolation,
  kEnd,
};

struct Token {
  TokenKind kind;
  std::string_view text;
  std::size_t position;  // in the text that was split
};

// Tokens up to and including kEnd; the views point into `text`. ConfigurationError: a character that may not
// stand unquoted, or a quote that does not end; the message starts with the position.
std::vector<Token> tokenize_value(std::string_view text);

}  // namespace canvaslab::config
