// Casts of the override grammar, and the table of its functions.
#include "core/config/override_functions.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "core/config/override_sweeps.h"
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

// A cast goes through a sweep to its values; a cast choice or range is a new one: unshuffled, without tags.
Sweep cast_sweep(const Sweep& sweep, const std::string& name, Node (*scalar)(const Node&)) {
  const bool to_number = scalar == to_int || scalar == to_float;
  Sweep result;
  result.kind = sweep.kind;
  switch (sweep.kind) {
    case Sweep::Kind::kChoice:
      result.comma_list = sweep.comma_list;
      for (const WrittenValue& choice : sweep.choices) {
        Node value = cast(choice.node, scalar);
        std::string text = override_text(value);
        result.choices.push_back({std::move(value), std::move(text)});
      }
      return result;
    case Sweep::Kind::kInterval:
      result.tags = sweep.tags;
      [[fallthrough]];
    case Sweep::Kind::kRange:
      if (!to_number)
        throw ConfigurationError(name + "(...): ranges and intervals can be cast to int or float only");
      result.start = scalar(sweep.start);
      result.stop = scalar(sweep.stop);
      if (sweep.kind == Sweep::Kind::kRange) result.step = scalar(sweep.step);
      return result;
    case Sweep::Kind::kGlob:
      break;
  }
  throw ConfigurationError(name + "(glob(...)) is not possible");
}

ParsedValue cast_call(FunctionCall call, Node (*scalar)(const Node&)) {
  if (call.named.size() == 1 && call.named[0].first == "value" && call.arguments.empty())
    call.arguments.push_back(std::move(call.named[0].second));
  else if (!call.named.empty())
    throw ConfigurationError(call.name + "(...) takes no argument named '" + call.named[0].first + "'");
  if (call.arguments.empty()) throw ConfigurationError(call.name + "() needs a value");
  ParsedValue value =
      call.arguments.size() == 1 ? std::move(call.arguments[0]) : simple_choice(std::move(call.arguments));
  if (value.sweep) return {Node(), "", cast_sweep(*value.sweep, call.name, scalar)};
  return ParsedValue::plain(cast(value.node, scalar));
}

ParsedValue call_int(FunctionCall call) {
  return cast_call(std::move(call), to_int);
}
ParsedValue call_float(FunctionCall call) {
  return cast_call(std::move(call), to_float);
}
ParsedValue call_str(FunctionCall call) {
  return cast_call(std::move(call), to_str);
}
ParsedValue call_bool(FunctionCall call) {
  return cast_call(std::move(call), to_bool);
}

const std::map<std::string, ParsedValue (*)(FunctionCall)>& functions() {
  static const auto* all = new std::map<std::string, ParsedValue (*)(FunctionCall)>{
      {"int", call_int},         {"float", call_float}, {"str", call_str},   {"bool", call_bool},
      {"choice", call_choice},   {"range", call_range}, {"glob", call_glob}, {"interval", call_interval},
      {"shuffle", call_shuffle}, {"sort", call_sort},   {"tag", call_tag}};
  return *all;
}

}  // namespace

ParsedValue evaluate(FunctionCall call) {
  const auto found = functions().find(call.name);
  if (found != functions().end()) return found->second(std::move(call));
  std::vector<std::string> known;
  for (const auto& [name, function] : functions()) known.push_back(name);
  throw ConfigurationError("unknown function '" + call.name + "'" + did_you_mean(call.name, known) +
                           "; quote the value if it is text");
}

}  // namespace canvaslab::config
