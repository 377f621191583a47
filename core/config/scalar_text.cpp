// Writes scalars as Hydra's printer does: quoted when they would read back as anything else.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/config/scalar.h"
#include "core/error.h"

namespace canvaslab::config {
namespace {

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// "2020-01-01", alone or followed by a time: a timestamp to YAML 1.1 readers other than Hydra's.
bool looks_like_date(std::string_view text) {
  constexpr std::string_view kShape = "dddd-dd-dd";
  if (text.size() < kShape.size()) return false;
  for (std::size_t i = 0; i < kShape.size(); ++i)
    if (kShape[i] == 'd' ? !is_digit(text[i]) : text[i] != kShape[i]) return false;
  return text.size() == kShape.size() ||
         std::string_view("Tt ").find(text[kShape.size()]) != std::string_view::npos;
}

// What Python takes for a number ("08", "-.5", "Infinity"): Hydra's printer quotes such strings.
bool looks_like_number(std::string_view text) {
  if (text[0] == '+' || text[0] == '-') text.remove_prefix(1);
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (is_one_of(lower, {"inf", "infinity", "nan"})) return true;
  const auto skip_digits = [&](std::size_t at) {
    while (at < lower.size() &&
           (is_digit(lower[at]) || (lower[at] == '_' && at > 0 && is_digit(lower[at - 1]))))
      ++at;
    return at;
  };
  std::size_t at = skip_digits(0);
  std::size_t digits_seen = at;
  if (at < lower.size() && lower[at] == '.') {
    const std::size_t end = skip_digits(at + 1);
    digits_seen += end - at - 1;
    at = end;
  }
  if (digits_seen == 0) return false;
  if (at < lower.size() && lower[at] == 'e') {
    ++at;
    if (at < lower.size() && (lower[at] == '+' || lower[at] == '-')) ++at;
    const std::size_t end = skip_digits(at);
    if (end == at) return false;
    at = end;
  }
  return at == lower.size();
}

// Characters that cannot start a plain scalar, and texts inside which would end it or start a comment.
bool needs_quotes(const std::string& text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ' || text.back() == ':') return true;
  if (std::string_view("#,[]{}&*!|>'\"%@`").find(text[0]) != std::string_view::npos) return true;
  if ((text[0] == '-' || text[0] == '?' || text[0] == ':') && (text.size() == 1 || text[1] == ' '))
    return true;
  if (text.starts_with("---") || text.starts_with("...") || text == "=" || text == "<<") return true;
  if (text.find(": ") != std::string::npos || text.find(" #") != std::string::npos) return true;
  if (is_one_of(text, {"y", "Y", "n", "N"}) || looks_like_date(text) || looks_like_number(text)) return true;
  try {
    return !plain_scalar(text).is_string();
  } catch (const ConfigurationError&) {
    return true;  // a string of digits, too long for an integer
  }
}

std::string double_quoted(const std::string& text) {
  std::string result = "\"";
  constexpr std::string_view kHex = "0123456789ABCDEF";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (c == '\r') {
      result += "\\r";
    } else if (byte < 0x20 || byte == 0x7f) {
      result += "\\x";
      result += kHex[byte >> 4];
      result += kHex[byte & 15];
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string string_text(const std::string& text) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(text.begin(), text.end(), control)) return double_quoted(text);
  if (!needs_quotes(text)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::string real_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 32> buffer;
  const double size = std::abs(value);
  const bool long_form = size != 0 && (size < 1e-4 || size >= 1e16);
  const auto format = long_form ? std::chars_format::scientific : std::chars_format::fixed;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format);
  std::string text(buffer.data(), result.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string scalar_text(const Node& scalar) {
  if (scalar.is_string()) return string_text(scalar.as_string());
  std::string text = bare_text(scalar);
  if (!scalar.is_real()) return text;
  if (!std::isfinite(scalar.as_real())) return text.insert(text.find_first_of("in"), 1, '.');
  // YAML 1.1 reads "1e-05" as a string: the mantissa gets a point.
  if (text.find('.') == std::string::npos) text.insert(text.find('e'), ".0");
  return text;
}

std::string bare_text(const Node& scalar) {
  switch (scalar.kind()) {
    case Node::Kind::kNull:
      return "null";
    case Node::Kind::kMandatory:
      return "???";
    case Node::Kind::kBool:
      return scalar.as_bool() ? "true" : "false";
    case Node::Kind::kInteger:
      return std::to_string(scalar.as_integer());
    case Node::Kind::kReal:
      return real_text(scalar.as_real());
    case Node::Kind::kString:
      return scalar.as_string();
    case Node::Kind::kList:
    case Node::Kind::kMap:
      break;
  }
  return brief(scalar);
}

}  // namespace canvaslab::config
