// The tokens of override values.
#include "core/config/override_lexer.h"

#include <algorithm>
#include <cctype>

#include "core/error.h"

namespace canvaslab::config {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

std::size_t spaces(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_blank(text[end])) ++end;
  return end - at;
}

// Digits with single underscores between them.
std::size_t grouped_digits(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && (is_digit(text[end]) || (end > at && text[end] == '_' &&
                                                       end + 1 < text.size() && is_digit(text[end + 1]))))
    ++end;
  return end - at;
}

// "0", or digits that do not start with 0.
std::size_t unsigned_integer(std::string_view text, std::size_t at) {
  if (at >= text.size() || !is_digit(text[at])) return 0;
  return text[at] == '0' ? 1 : grouped_digits(text, at);
}

std::size_t sign(std::string_view text, std::size_t at) {
  return at < text.size() && (text[at] == '+' || text[at] == '-') ? 1 : 0;
}

std::size_t integer(std::string_view text, std::size_t at) {
  const std::size_t prefix = sign(text, at);
  const std::size_t digits = unsigned_integer(text, at + prefix);
  return digits ? prefix + digits : 0;
}

bool is_word(std::string_view text, std::size_t at, std::string_view lower) {
  if (text.size() - at < lower.size()) return false;
  for (std::size_t i = 0; i < lower.size(); ++i)
    if (std::tolower(static_cast<unsigned char>(text[at + i])) != lower[i]) return false;
  return true;
}

std::size_t real(std::string_view text, std::size_t at) {
  const std::size_t prefix = sign(text, at);
  std::size_t end = at + prefix;
  if (end < text.size() && (is_word(text, end, "inf") || is_word(text, end, "nan"))) return prefix + 3;
  const std::size_t head = unsigned_integer(text, end);
  end += head;
  bool is_real = false;
  if (end < text.size() && text[end] == '.') {
    const std::size_t fraction = grouped_digits(text, end + 1);
    if (head || fraction) {
      is_real = true;
      end += 1 + fraction;
    }
  }
  if (!head && !is_real) return 0;
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    const std::size_t exponent_sign = sign(text, end + 1);
    const std::size_t digits = grouped_digits(text, end + 1 + exponent_sign);
    if (digits) {
      is_real = true;
      end += 1 + exponent_sign + digits;
    }
  }
  return is_real ? end - at : 0;
}

std::size_t name(std::string_view text, std::size_t at) {
  if (!is_letter(text[at]) && text[at] != '_') return 0;
  std::size_t end = at;
  while (end < text.size() &&
         (is_letter(text[end]) || is_digit(text[end]) || text[end] == '_' || text[end] == '-'))
    ++end;
  return end - at;
}

std::size_t escapes(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end + 1 < text.size() && text[end] == '\\' &&
         std::string_view("\\()[]{}:=, \t").find(text[end + 1]) != std::string_view::npos)
    end += 2;
  return end - at;
}

// Up to the first matching quote that an even number of backslashes stands before.
std::size_t quoted(std::string_view text, std::size_t at) {
  const char quote = text[at];
  if (quote != '\'' && quote != '"') return 0;
  std::size_t backslashes = 0;
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == quote && backslashes % 2 == 0) return i + 1 - at;
    backslashes = text[i] == '\\' ? backslashes + 1 : 0;
  }
  throw ConfigurationError("position " + std::to_string(at + 1) + ": the quote " + quote + " does not end");
}

std::size_t interpolation(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) != "${") return 0;
  const std::size_t end = text.find('}', at);
  return end == std::string_view::npos || end == at + 2 ? 0 : end + 1 - at;
}

// A mark with the blanks that belong to it, or 0.
std::size_t mark(std::string_view text, std::size_t at, char c, bool blanks_before, bool blanks_after) {
  const std::size_t before = blanks_before ? spaces(text, at) : 0;
  if (at + before >= text.size() || text[at + before] != c) return 0;
  return before + 1 + (blanks_after ? spaces(text, at + before + 1) : 0);
}

std::size_t length_of(TokenKind kind, std::string_view text, std::size_t at) {
  switch (kind) {
    case TokenKind::kParenthesisOpen:
      return mark(text, at, '(', true, true);
    case TokenKind::kComma:
      return mark(text, at, ',', true, true);
    case TokenKind::kParenthesisClose:
      return mark(text, at, ')', true, false);
    case TokenKind::kBracketOpen:
      return mark(text, at, '[', false, true);
    case TokenKind::kBracketClose:
      return mark(text, at, ']', true, false);
    case TokenKind::kBraceOpen:
      return mark(text, at, '{', false, true);
    case TokenKind::kBraceClose:
      return mark(text, at, '}', true, false);
    case TokenKind::kColon:
      return mark(text, at, ':', true, true);
    case TokenKind::kEqual:
      return mark(text, at, '=', true, true);
    case TokenKind::kReal:
      return real(text, at);
    case TokenKind::kInteger:
      return integer(text, at);
    case TokenKind::kBool:
      return is_word(text, at, "true") ? 4 : is_word(text, at, "false") ? 5 : 0;
    case TokenKind::kNull:
      return is_word(text, at, "null") ? 4 : 0;
    case TokenKind::kOther:
      return std::string_view("/-\\+.$%*@?|").find(text[at]) != std::string_view::npos ? 1 : 0;
    case TokenKind::kName:
      return name(text, at);
    case TokenKind::kEscape:
      return escapes(text, at);
    case TokenKind::kSpace:
      return spaces(text, at);
    case TokenKind::kQuoted:
      return quoted(text, at);
    case TokenKind::kInterpolation:
      return interpolation(text, at);
    case TokenKind::kEnd:
      break;
  }
  return 0;
}

// The character that starts there, with all of its UTF-8 bytes.
std::string character(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
  return std::string(text.substr(at, end - at));
}

}  // namespace

std::vector<Token> tokenize_value(std::string_view text) {
  std::vector<Token> tokens;
  std::size_t at = 0;
  while (at < text.size()) {
    Token best{TokenKind::kEnd, {}, at};
    for (int kind = 0; kind < static_cast<int>(TokenKind::kEnd); ++kind) {
      const std::size_t length = length_of(static_cast<TokenKind>(kind), text, at);
      if (length > best.text.size()) best = {static_cast<TokenKind>(kind), text.substr(at, length), at};
    }
    if (best.text.empty())
      throw ConfigurationError("position " + std::to_string(at + 1) + ": '" + character(text, at) +
                               "' must be quoted or escaped here");
    tokens.push_back(best);
    at += best.text.size();
  }
  tokens.push_back({TokenKind::kEnd, {}, at});
  return tokens;
}

}  // namespace canvaslab::config
