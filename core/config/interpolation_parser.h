// Takes texts with interpolations apart, without evaluating anything.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace canvaslab::config {

// A piece of a text: literal text, or the inside of `${...}`.
struct TextPiece {
  bool is_interpolation = false;
  std::string text;
};

// Whether the text has anything to resolve or unescape.
bool has_interpolation(std::string_view text);

// Splits a text; `\${` is a literal `${`. ConfigurationError: a `${` without its `}`.
std::vector<TextPiece> split_text(std::string_view text);

// `name:argument,argument` taken apart.
struct ResolverCall {
  std::string name;
  std::vector<std::string> arguments;
};

// The inside of an interpolation as a resolver's call, or nothing when it is a path.
std::optional<ResolverCall> resolver_call(std::string_view inside);

// Text without blanks at either end.
std::string trimmed(std::string_view text);

}  // namespace canvaslab::config
