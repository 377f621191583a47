// YAML 1.1 scalars, as Hydra's loader reads them and its printer writes them.
#include "core/config/scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "core/error.h"

namespace canvaslab::config {
namespace {

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The longest prefix of digits (and underscores after the first digit).
std::size_t digits(std::string_view text, std::size_t from = 0) {
  std::size_t end = from;
  while (end < text.size() && (is_digit(text[end]) || (end > from && text[end] == '_'))) ++end;
  return end;
}

std::string without_underscores(std::string_view text) {
  std::string result;
  std::copy_if(text.begin(), text.end(), std::back_inserter(result), [](char c) { return c != '_'; });
  return result;
}

// Base-60 groups after the first: ":30:59". Empty optional when `text` is no such tail.
std::optional<std::vector<int>> sexagesimal_tail(std::string_view text) {
  std::vector<int> groups;
  while (!text.empty()) {
    if (text[0] != ':') return std::nullopt;
    const std::size_t end = std::min(text.find(':', 1), text.size());
    const std::string_view group = text.substr(1, end - 1);
    const bool one = group.size() == 1 && is_digit(group[0]);
    const bool two = group.size() == 2 && group[0] <= '5' && is_digit(group[0]) && is_digit(group[1]);
    if (!one && !two) return std::nullopt;
    groups.push_back(std::stoi(std::string(group)));
    text.remove_prefix(end);
  }
  return groups.empty() ? std::nullopt : std::optional(groups);
}

std::int64_t to_integer(std::string_view original, const std::string& body, int base, bool negative) {
  const std::string text = negative ? std::string("-").append(body) : body;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size())
    throw ConfigurationError("the integer " + std::string(original) + " does not fit 64 bits");
  return value;
}

// [-+]? then 0b..., 0x..., 0 and octal digits, decimal digits, or decimal digits with base-60 groups.
std::optional<std::int64_t> integer_of(std::string_view text) {
  std::string_view body = text;
  const bool negative = body[0] == '-';
  if (body[0] == '-' || body[0] == '+') body.remove_prefix(1);
  if (body.empty() || !is_digit(body[0])) return std::nullopt;
  const auto all = [](std::string_view part, std::string_view allowed) {
    return !without_underscores(part).empty() && part.find_first_not_of(allowed) == std::string_view::npos;
  };
  if (body.starts_with("0b") && all(body.substr(2), "01_"))
    return to_integer(text, without_underscores(body.substr(2)), 2, negative);
  if (body.starts_with("0x") && all(body.substr(2), "0123456789abcdefABCDEF_"))
    return to_integer(text, without_underscores(body.substr(2)), 16, negative);
  if (body.find_first_not_of("0_") == std::string_view::npos && body[0] == '0') return 0;
  if (body[0] == '0') {
    if (!all(body.substr(1), "01234567_")) return std::nullopt;
    return to_integer(text, without_underscores(body.substr(1)), 8, negative);
  }
  const std::size_t end = digits(body);
  const std::int64_t head = to_integer(text, without_underscores(body.substr(0, end)), 10, negative);
  if (end == body.size()) return head;
  const auto groups = sexagesimal_tail(body.substr(end));
  if (!groups) return std::nullopt;
  double check = static_cast<double>(head);
  std::int64_t value = head;
  for (const int group : *groups) {
    check = check * 60;
    if (std::abs(check) > 9e18)
      throw ConfigurationError("the integer " + std::string(text) + " does not fit 64 bits");
    value = value * 60 + (negative ? -group : group);
  }
  return value;
}

double to_real(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  // Too large and too small numbers become infinity and zero, as in Python.
  if (error == std::errc::result_out_of_range) return std::strtod(text.c_str(), nullptr);
  return value;
}

// Digits with a point, an exponent or both; a number with neither is an integer.
bool is_decimal(std::string_view body) {
  std::size_t at = digits(body);
  const bool has_head = at > 0;
  if (has_head && body[at - 1] == '_' && (at == body.size() || body[at] != '.')) return false;
  bool has_point = false;
  if (at < body.size() && body[at] == '.') {
    has_point = true;
    const std::size_t from = ++at;
    while (at < body.size() && (is_digit(body[at]) || body[at] == '_')) ++at;
    if (!has_head && (at == from || body[from] == '_')) return false;
  }
  if (!has_head && !has_point) return false;
  if (at == body.size()) return has_point;
  if (body[at] != 'e' && body[at] != 'E') return false;
  ++at;
  const bool has_sign = at < body.size() && (body[at] == '+' || body[at] == '-');
  if (!has_head && !has_sign) return false;  // ".5e3" is a string there, ".5e+3" is a number
  if (has_sign) ++at;
  return at < body.size() &&
         std::all_of(body.begin() + static_cast<std::ptrdiff_t>(at), body.end(), is_digit);
}

// "1:30.5": base-60 groups and a decimal fraction of the last.
std::optional<double> sexagesimal_real(std::string_view body) {
  const std::size_t head_end = digits(body), point = body.find('.');
  if (head_end == 0 || point == std::string_view::npos || point <= head_end) return std::nullopt;
  const auto groups = sexagesimal_tail(body.substr(head_end, point - head_end));
  const std::string_view fraction = body.substr(point + 1);
  if (!groups || fraction.find_first_not_of("0123456789_") != std::string_view::npos) return std::nullopt;
  double value = to_real(without_underscores(body.substr(0, head_end)));
  for (const int group : *groups) value = value * 60 + group;
  return value + to_real("0." + without_underscores(fraction) + "0");
}

std::optional<double> real_of(std::string_view text) {
  if (is_one_of(text, {".nan", ".NaN", ".NAN"})) return std::numeric_limits<double>::quiet_NaN();
  std::string_view body = text;
  const double sign = body[0] == '-' ? -1 : 1;
  if (body[0] == '-' || body[0] == '+') {
    body.remove_prefix(1);
    if (body.empty() || (body[0] == '.' && !is_one_of(body, {".inf", ".Inf", ".INF"}))) return std::nullopt;
  }
  if (is_one_of(body, {".inf", ".Inf", ".INF"})) return sign * std::numeric_limits<double>::infinity();
  if (is_decimal(body)) return sign * to_real(without_underscores(body));
  if (const auto value = sexagesimal_real(body)) return sign * *value;
  return std::nullopt;
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
    return !plain_scalar(text).is_string() || real_of(text).has_value();
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

Node plain_scalar(std::string_view text) {
  if (text.empty() || is_one_of(text, {"~", "null", "Null", "NULL"})) return Node();
  if (is_one_of(text, {"yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})) return Node(true);
  if (is_one_of(text, {"no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})) return Node(false);
  if (std::string_view("-+.0123456789").find(text[0]) != std::string_view::npos) {
    if (const auto real = real_of(text)) return Node(*real);
    if (const auto integer = integer_of(text)) return Node(*integer);
  }
  return string_scalar(std::string(text));
}

Node string_scalar(std::string text) {
  if (text == "???") return Node(Mandatory{});
  return Node(std::move(text));
}

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
