// Parses overrides: kind, key and package here, the value in override_value.cpp.
#include "core/config/override.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/config/override_value.h"
#include "core/error.h"

namespace canvaslab::config {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// A name in a key: letters, digits, '_', '-', and '$' where allowed; it does not start with a digit or '-'.
bool is_key_name(std::string_view part, bool dollar) {
  if (part.empty() || is_digit(part[0]) || part[0] == '-') return false;
  return std::all_of(part.begin(), part.end(), [&](char c) {
    return is_letter(c) || is_digit(c) || c == '_' || c == '-' || (dollar && c == '$');
  });
}

bool is_index(std::string_view part) {
  return !part.empty() && std::all_of(part.begin(), part.end(), is_digit) &&
         (part[0] != '0' || part.size() == 1);
}

bool all_parts(std::string_view text, char separator, bool (*accepts)(std::string_view)) {
  while (true) {
    const std::size_t end = text.find(separator);
    if (!accepts(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

bool is_package(std::string_view text) {
  if (text.empty() || is_key_name(text, true)) return true;
  return text.find('.') != std::string_view::npos && all_parts(text, '.', [](std::string_view part) {
           return is_key_name(part, true) || is_index(part);
         });
}

bool is_group(std::string_view text) {
  return all_parts(text, '/', [](std::string_view part) { return is_key_name(part, false); });
}

void parse_key(std::string_view text, Override& result) {
  const std::size_t at = text.find('@');
  result.key = std::string(text.substr(0, at));
  if (!is_package(result.key) && !is_group(result.key))
    throw ConfigurationError("'" + result.key + "' is no key (a.b.0) and no group (group/sub)");
  if (at == std::string_view::npos) return;
  result.package = std::string(text.substr(at + 1));
  if (!is_package(*result.package)) throw ConfigurationError("'" + *result.package + "' is no package (a.b)");
}

}  // namespace

std::string Override::marked_key() const {
  constexpr std::array<const char*, 4> kMarks{"", "+", "++", "~"};  // in the order of Kind
  return fmt::format("{}{}", kMarks[static_cast<std::size_t>(kind)], choice_key());
}

Override parse_override(const std::string& word) {
  Override result;
  result.word = word;
  try {
    std::string_view rest = word;
    const auto skip = [&](std::string_view prefix, Override::Kind kind) {
      if (!rest.starts_with(prefix)) return false;
      rest.remove_prefix(prefix.size());
      result.kind = kind;
      return true;
    };
    if (!skip("++", Override::Kind::kForceAdd) && !skip("+", Override::Kind::kAdd))
      skip("~", Override::Kind::kDelete);
    const std::size_t equal = rest.find('=');
    parse_key(rest.substr(0, equal), result);
    if (equal == std::string_view::npos) {
      if (result.kind != Override::Kind::kDelete) throw ConfigurationError("'=' is missing");
      result.text = "null";
      return result;
    }
    std::string_view text = rest.substr(equal + 1);
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    ParsedValue value = parse_sweep_or_value(text, {std::make_shared<const std::string>(word), 0});
    if (value.sweep) {
      result.sweep = std::move(value.sweep);
    } else {
      result.value = std::move(value.node);
      result.text = std::move(value.text);
    }
  } catch (const ConfigurationError& error) {
    throw ConfigurationError("command line '" + word + "': cannot be parsed: " + error.what());
  }
  return result;
}

}  // namespace canvaslab::config
