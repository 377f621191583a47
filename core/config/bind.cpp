// Reading scalars strictly, with errors that say what is allowed.
#include "core/config/bind.h"

#include <charconv>
#include <cmath>

#include "core/config/scalar.h"
#include "core/nearest.h"

namespace canvaslab::config {
namespace {

std::string number_text(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15)
    return std::to_string(static_cast<std::int64_t>(value));
  return real_text(value);
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// A key that was written as yes, no, on or off arrives as true or false.
std::string yaml_hint(const std::string& key) {
  if (key != "true" && key != "false") return "";
  return " (YAML 1.1 reads yes, no, on and off as true and false; quote such keys)";
}

bool in_range(double value, const Field& field) {
  return !(field.minimum && value < *field.minimum) && !(field.above && value <= *field.above) &&
         !(field.maximum && value > *field.maximum) && !(field.below && value >= *field.below);
}

std::string expectation(const std::string& type, const Field& field) {
  std::string text = "expected " + type;
  const std::string range = range_text(field);
  if (!range.empty()) text += " " + range;
  if (!field.unit.empty()) text += " (" + field.unit + ")";
  return text;
}

std::string found(const Node& node) {
  const bool scalar = !node.is_list() && !node.is_map() && !node.is_null() && !node.is_mandatory();
  return ", found " + (scalar ? std::string(kind_name(node.kind())) + ", " : "") + brief(node);
}

// A value that was left open gets its own message.
bool is_set(const Node& node, const std::string& path, const std::string& expected, Errors& errors) {
  if (!node.is_mandatory()) return true;
  errors.add(node, path, "is ??? and must be set; " + expected);
  return false;
}

}  // namespace

std::string range_text(const Field& field) {
  std::string text;
  const auto add = [&](const char* sign, const std::optional<double>& bound) {
    if (bound) text += (text.empty() ? "" : ", ") + std::string(sign) + " " + number_text(*bound);
  };
  add(">=", field.minimum);
  add(">", field.above);
  add("<=", field.maximum);
  add("<", field.below);
  return text;
}

namespace detail {

bool read_bool(const Node& node, const std::string& path, bool& out, Errors& errors) {
  const std::string expected = "expected true or false";
  if (!is_set(node, path, expected, errors)) return false;
  if (node.is_bool()) {
    out = node.as_bool();
    return true;
  }
  errors.add(node, path, expected + found(node));
  return false;
}

bool read_integer(const Node& node, const std::string& path, const Field& field, std::int64_t lowest,
                  std::uint64_t highest, std::int64_t& out, Errors& errors) {
  const std::string expected = expectation("an integer", field);
  if (!is_set(node, path, expected, errors)) return false;
  if (!node.is_integer()) {
    errors.add(node, path, expected + found(node));
    return false;
  }
  const std::int64_t value = node.as_integer();
  const bool fits = value >= lowest && (value < 0 || static_cast<std::uint64_t>(value) <= highest);
  if (!fits || !in_range(static_cast<double>(value), field)) {
    errors.add(
        node, path,
        (fits ? expected
              : "expected an integer from " + std::to_string(lowest) + " to " + std::to_string(highest)) +
            ", found " + std::to_string(value));
    return false;
  }
  out = value;
  return true;
}

bool read_real(const Node& node, const std::string& path, const Field& field, double& out, Errors& errors) {
  const std::string expected = expectation("a number", field);
  if (!is_set(node, path, expected, errors)) return false;
  if (!node.is_integer() && !node.is_real()) {
    errors.add(node, path, expected + found(node));
    return false;
  }
  const double value = node.is_real() ? node.as_real() : static_cast<double>(node.as_integer());
  if (std::isnan(value) || !in_range(value, field)) {
    errors.add(node, path, expected + ", found " + brief(node));
    return false;
  }
  out = value;
  return true;
}

bool read_text(const Node& node, const std::string& path, std::string& out, Errors& errors) {
  const std::string expected = "expected text";
  if (!is_set(node, path, expected, errors)) return false;
  if (node.is_string()) {
    out = node.as_string();
    return true;
  }
  errors.add(node, path,
             expected + found(node) + (node.is_list() || node.is_map() ? "" : "; quote it to make it text"));
  return false;
}

bool read_choice(const Node& node, const std::string& path, const std::vector<std::string>& names,
                 std::size_t& index, Errors& errors) {
  const std::string expected = "expected one of " + joined(names);
  if (!is_set(node, path, expected, errors)) return false;
  if (!node.is_string()) {
    errors.add(node, path, expected + found(node));
    return false;
  }
  const auto position = std::find(names.begin(), names.end(), node.as_string());
  if (position == names.end()) {
    errors.add(node, path, expected + ", found " + brief(node) + did_you_mean(node.as_string(), names));
    return false;
  }
  index = static_cast<std::size_t>(position - names.begin());
  return true;
}

bool expect_kind(const Node& node, const std::string& path, Node::Kind wanted, Errors& errors) {
  if (node.kind() == wanted) return true;
  const std::string expected = "expected " + std::string(kind_name(wanted));
  if (is_set(node, path, expected, errors)) errors.add(node, path, expected + found(node));
  return false;
}

void refuse_unknown_keys(const Node& map, const std::string& path, const std::vector<std::string>& allowed,
                         Errors& errors) {
  for (const Entry& entry : map.entries()) {
    if (std::find(allowed.begin(), allowed.end(), entry.key) != allowed.end()) continue;
    errors.add(entry.value, join_path(path, entry.key),
               "unknown key '" + entry.key + "'" + yaml_hint(entry.key) + did_you_mean(entry.key, allowed) +
                   (allowed.empty() ? "; no keys are allowed here" : "; allowed: " + joined(allowed)));
  }
}

double shortest_double(float value) {
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  double widened = value;
  std::from_chars(buffer, result.ptr, widened);
  return widened;
}

std::string one_line(const Node& node) {
  std::string text;
  if (node.is_list()) {
    for (const Node& item : node.items()) text += (text.empty() ? "" : ", ") + one_line(item);
    return "[" + text + "]";
  }
  if (node.is_map()) {
    for (const Entry& entry : node.entries())
      text += (text.empty() ? "" : ", ") + entry.key + ": " + one_line(entry.value);
    return "{" + text + "}";
  }
  return scalar_text(node);
}

}  // namespace detail
}  // namespace canvaslab::config
