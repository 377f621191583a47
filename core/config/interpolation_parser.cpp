// The syntax of interpolations.
#include "core/config/interpolation_parser.h"

#include <algorithm>
#include <cctype>

#include "core/error.h"

namespace canvaslab::config {
namespace {

// The position after a quoted text that starts at `at`.
std::size_t skip_quoted(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == quote)
      return i + 1;
  }
  return text.size();
}

// The position of the first character of `stops` outside of quotes, brackets and nested interpolations, or
// the end.
std::size_t find_outside(std::string_view text, std::size_t at, std::string_view stops) {
  int depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (depth == 0 && stops.find(c) != std::string_view::npos) return at;
    if (c == '\\') {
      at += 2;
    } else if (c == '\'' || c == '"') {
      at = skip_quoted(text, at);
    } else {
      if (c == '{' || c == '[') ++depth;
      if ((c == '}' || c == ']') && depth > 0) --depth;
      ++at;
    }
  }
  return text.size();
}

}  // namespace

bool has_interpolation(std::string_view text) {
  return text.find("${") != std::string_view::npos;
}

std::vector<TextPiece> split_text(std::string_view text) {
  std::vector<TextPiece> pieces;
  std::string literal;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t start = text.find("${", at);
    if (start == std::string_view::npos) {
      literal += text.substr(at);
      break;
    }
    std::size_t backslashes = 0;
    while (start - backslashes > at && text[start - backslashes - 1] == '\\') ++backslashes;
    literal += text.substr(at, start - backslashes - at);
    literal.append(backslashes / 2, '\\');
    if (backslashes % 2 == 1) {
      literal += "${";
      at = start + 2;
      continue;
    }
    const std::size_t end = find_outside(text, start + 2, "}");
    if (end >= text.size())
      throw ConfigurationError("the interpolation '" + std::string(text.substr(start)) + "' does not end");
    if (!literal.empty()) pieces.push_back({false, std::move(literal)});
    literal.clear();
    pieces.push_back({true, std::string(text.substr(start + 2, end - start - 2))});
    at = end + 1;
  }
  if (!literal.empty() || pieces.empty()) pieces.push_back({false, std::move(literal)});
  return pieces;
}

std::optional<ResolverCall> resolver_call(std::string_view inside) {
  std::size_t end = 0;
  while (end < inside.size() && (std::isalnum(static_cast<unsigned char>(inside[end])) ||
                                 std::string_view("_-. ").find(inside[end]) != std::string_view::npos))
    ++end;
  if (end >= inside.size() || inside[end] != ':') return std::nullopt;
  ResolverCall call{trimmed(inside.substr(0, end)), {}};
  const std::string_view rest = inside.substr(end + 1);
  if (trimmed(rest).empty()) return call;
  std::size_t at = 0;
  while (true) {
    const std::size_t comma = find_outside(rest, at, ",");
    call.arguments.push_back(trimmed(rest.substr(at, comma - at)));
    if (comma >= rest.size()) return call;
    at = comma + 1;
  }
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string_view::npos ? "" : std::string(text.substr(first, last - first + 1));
}

}  // namespace canvaslab::config
