// Writes values as overrides: what a sweep's jobs are given is parsed again and must mean the same.
#include <fmt/format.h>

#include "core/config/override.h"
#include "core/config/scalar.h"

namespace canvaslab::config {
namespace {

// A text that holds a special character has all of its special characters escaped.
std::string escaped(const std::string& text) {
  constexpr std::string_view kSpecial = "\\()[]{}:=, \t";
  std::string result;
  for (const char c : text) {
    if (kSpecial.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

}  // namespace

std::string override_text(const Node& value) {
  std::vector<std::string> parts;
  switch (value.kind()) {
    case Node::Kind::kString:
      return escaped(value.as_string());
    case Node::Kind::kBool:
      return value.as_bool() ? "True" : "False";
    case Node::Kind::kList:
      for (const Node& item : value.items()) parts.push_back(override_text(item));
      return fmt::format("[{}]", fmt::join(parts, ","));
    case Node::Kind::kMap:
      for (const Entry& entry : value.entries())
        parts.push_back(fmt::format("{}:{}", escaped(entry.key), override_text(entry.value)));
      return fmt::format("{{{}}}", fmt::join(parts, ","));
    default:
      return bare_text(value);
  }
}

}  // namespace canvaslab::config
