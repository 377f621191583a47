// Casts and sweeps of the override grammar.
#include "core/config/override_functions.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/config/scalar.h"
#include "core/error.h"
#include "core/nearest.h"

namespace canvaslab::config {
namespace {

[[noreturn]] void cannot_cast(const Node& value, const std::string& type) {
  throw ConfigurationError("cannot cast " + brief(value) + " to " + type);
}

std::string trimmed_digits(std::string text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  text = first == std::string::npos ? "" : text.substr(first, last - first + 1);
  std::erase(text, '_');
  if (text.size() > 1 && text[0] == '+') text.erase(0, 1);
  return text;
}

template <class T>
T number(const Node& value, const std::string& type) {
  const std::string text = trimmed_digits(value.as_string());
  T result{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (error != std::errc() || end != text.data() + text.size()) cannot_cast(value, type);
  return result;
}

Node to_int(const Node& value) {
  if (value.is_bool()) return Node(static_cast<std::int64_t>(value.as_bool()));
  if (value.is_integer()) return value;
  if (value.is_string()) return Node(number<std::int64_t>(value, "int"));
  if (!value.is_real() || !(std::abs(value.as_real()) < 9.2e18)) cannot_cast(value, "int");
  return Node(static_cast<std::int64_t>(value.as_real()));
}

Node to_float(const Node& value) {
  if (value.is_bool()) return Node(value.as_bool() ? 1.0 : 0.0);
  if (value.is_integer()) return Node(static_cast<double>(value.as_integer()));
  if (value.is_real()) return value;
  if (value.is_string()) return Node(number<double>(value, "float"));
  cannot_cast(value, "float");
}

Node to_str(const Node& value) {
  if (value.is_null()) cannot_cast(value, "str");
  return Node(bare_text(value));
}

Node to_bool(const Node& value) {
  if (value.is_bool()) return value;
  if (value.is_integer()) return Node(value.as_integer() != 0);
  if (value.is_real()) return Node(value.as_real() != 0);
  if (!value.is_string()) cannot_cast(value, "bool");
  std::string text = value.as_string();
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  if (text != "true" && text != "false") cannot_cast(value, "bool");
  return Node(text == "true");
}

// Casts go through lists and the values of dicts.
Node cast(const Node& value, Node (*scalar)(const Node&)) {
  if (value.is_list()) {
    Node result = Node::list();
    for (const Node& item : value.items()) result.items().push_back(cast(item, scalar));
    return std::move(result.at(value.source()));
  }
  if (value.is_map()) {
    Node result = Node::map();
    for (const Entry& entry : value.entries()) result.set(entry.key, cast(entry.value, scalar));
    return std::move(result.at(value.source()));
  }
  return std::move(scalar(value).at(value.source()));
}

ParsedValue cast_call(FunctionCall call, Node (*scalar)(const Node&)) {
  if (call.named.size() == 1 && call.named[0].first == "value" && call.arguments.empty())
    call.arguments.push_back(std::move(call.named[0].second));
  else if (!call.named.empty())
    throw ConfigurationError(call.name + "(...) takes no argument named '" + call.named[0].first + "'");
  if (call.arguments.empty()) throw ConfigurationError(call.name + "() needs a value");
  ParsedValue value =
      call.arguments.size() == 1 ? std::move(call.arguments[0]) : simple_choice(std::move(call.arguments));
  if (!value.sweep) return {cast(value.node, scalar), {}};
  if (value.sweep->kind == Sweep::Kind::kGlob)
    throw ConfigurationError(call.name + "(glob(...)) is not possible");
  for (Node& argument : value.sweep->arguments) argument = cast(argument, scalar);
  for (auto& [name, argument] : value.sweep->named) argument = cast(argument, scalar);
  return value;
}

ParsedValue sweep_call(FunctionCall call, Sweep::Kind kind, std::size_t fewest, std::size_t most,
                       const std::vector<std::string>& names) {
  const std::size_t given = call.arguments.size() + call.named.size();
  if (given < fewest || given > most)
    throw ConfigurationError(call.name + "(...) takes " + std::to_string(fewest) + " to " +
                             std::to_string(most) + " arguments, found " + std::to_string(given));
  Sweep sweep;
  sweep.kind = kind;
  const auto plain = [&](ParsedValue& value) {
    if (value.sweep) throw ConfigurationError("a sweep cannot stand inside " + call.name + "(...)");
    const bool number = value.node.is_integer() || value.node.is_real();
    if (kind != Sweep::Kind::kGlob && !number)
      throw ConfigurationError(call.name + "(...) takes numbers, found " + brief(value.node));
    return std::move(value.node);
  };
  for (ParsedValue& argument : call.arguments) sweep.arguments.push_back(plain(argument));
  for (auto& [name, argument] : call.named) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw ConfigurationError(call.name + "(...) has no argument '" + name + "'" +
                               did_you_mean(name, names));
    sweep.named.emplace_back(name, plain(argument));
  }
  return {Node(), std::move(sweep)};
}

ParsedValue choice_call(FunctionCall call) {
  if (call.arguments.empty() || !call.named.empty()) throw ConfigurationError("choice(...) needs values");
  if (call.arguments.size() == 1 && call.arguments[0].sweep) {
    ParsedValue value = std::move(call.arguments[0]);
    if (!value.sweep->comma_list) throw ConfigurationError("choice(...) cannot be nested");
    value.sweep->comma_list = false;
    return value;
  }
  ParsedValue value = simple_choice(std::move(call.arguments));
  value.sweep->comma_list = false;
  return value;
}

}  // namespace

ParsedValue simple_choice(std::vector<ParsedValue> elements) {
  Sweep sweep;
  sweep.comma_list = true;
  for (ParsedValue& element : elements) {
    if (element.sweep) throw ConfigurationError("a sweep cannot stand inside a list of values");
    sweep.arguments.push_back(std::move(element.node));
  }
  return {Node(), std::move(sweep)};
}

ParsedValue evaluate(FunctionCall call) {
  if (call.name == "int") return cast_call(std::move(call), to_int);
  if (call.name == "float") return cast_call(std::move(call), to_float);
  if (call.name == "str") return cast_call(std::move(call), to_str);
  if (call.name == "bool") return cast_call(std::move(call), to_bool);
  if (call.name == "choice") return choice_call(std::move(call));
  if (call.name == "range")
    return sweep_call(std::move(call), Sweep::Kind::kRange, 1, 3, {"start", "stop", "step"});
  if (call.name == "interval")
    return sweep_call(std::move(call), Sweep::Kind::kInterval, 2, 2, {"start", "end"});
  if (call.name == "glob")
    return sweep_call(std::move(call), Sweep::Kind::kGlob, 1, 2, {"include", "exclude"});
  const std::vector<std::string> known{"int", "float", "str", "bool", "choice", "range", "interval", "glob"};
  throw ConfigurationError("unknown function '" + call.name + "'" + did_you_mean(call.name, known) +
                           "; quote the value if it is text");
}

}  // namespace canvaslab::config
