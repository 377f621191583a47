// Reads plain YAML 1.1 scalars as Hydra's loader does.
#include "core/config/scalar.h"

#include <algorithm>
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

}  // namespace canvaslab::config
