// Sweeps of the override grammar.
#include "core/config/override_sweeps.h"

#include <algorithm>
#include <cmath>

#include "core/config/shuffle.h"
#include "core/error.h"
#include "core/nearest.h"

namespace canvaslab::config {
namespace {

[[noreturn]] void fail(const FunctionCall& call, const std::string& what) {
  throw ConfigurationError(call.name + "(...) " + what);
}

// The arguments in the order of `names`, given by place or by name; the first `required` must be there.
std::vector<std::optional<ParsedValue>> arguments(FunctionCall& call, const std::vector<std::string>& names,
                                                  std::size_t required) {
  if (call.arguments.size() > names.size())
    fail(call, "takes at most " + std::to_string(names.size()) + " arguments, found " +
                   std::to_string(call.arguments.size()));
  std::vector<std::optional<ParsedValue>> result(names.size());
  std::move(call.arguments.begin(), call.arguments.end(), result.begin());
  for (auto& [name, value] : call.named) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) fail(call, "has no argument '" + name + "'" + did_you_mean(name, names));
    std::optional<ParsedValue>& place = result[static_cast<std::size_t>(found - names.begin())];
    if (place) fail(call, "has two values for '" + name + "'");
    place = std::move(value);
  }
  for (std::size_t i = 0; i < required; ++i)
    if (!result[i]) fail(call, "needs '" + names[i] + "'");
  return result;
}

const Node& number(const FunctionCall& call, const ParsedValue& value) {
  if (value.sweep) fail(call, "takes numbers, found a sweep");
  if (!value.node.is_integer() && !value.node.is_real())
    fail(call, "takes numbers, found " + brief(value.node));
  return value.node;
}

double real(const Node& value) {
  return value.is_integer() ? static_cast<double>(value.as_integer()) : value.as_real();
}

ParsedValue sweep_of(Sweep sweep) {
  return {Node(), "", std::move(sweep)};
}

// Less than, as far as Python orders values: numbers and bools, texts, lists item by item.
bool is_less(const FunctionCall& call, const Node& a, const Node& b) {
  const auto numeric = [](const Node& node) { return node.is_integer() || node.is_real() || node.is_bool(); };
  const auto value = [](const Node& node) {
    return node.is_bool() ? static_cast<double>(node.as_bool()) : real(node);
  };
  if (a.is_integer() && b.is_integer()) return a.as_integer() < b.as_integer();
  if (numeric(a) && numeric(b)) return value(a) < value(b);
  if (a.is_string() && b.is_string()) return a.as_string() < b.as_string();
  if (!a.is_list() || !b.is_list()) fail(call, "cannot order " + brief(a) + " and " + brief(b));
  for (std::size_t i = 0; i < std::min(a.items().size(), b.items().size()); ++i) {
    if (is_less(call, a.items()[i], b.items()[i])) return true;
    if (is_less(call, b.items()[i], a.items()[i])) return false;
  }
  return a.items().size() < b.items().size();
}

// The sum of numbers; integers stay integers. Only ever of a range's bound and its step.
Node plus(const Node& a, const Node& b, bool negative = false) {
  std::int64_t sum = 0;
  if (a.is_integer() && b.is_integer()) {
    const bool overflows = negative ? __builtin_sub_overflow(a.as_integer(), b.as_integer(), &sum)
                                    : __builtin_add_overflow(a.as_integer(), b.as_integer(), &sum);
    if (overflows) throw ConfigurationError("the range does not fit 64 bits");
    return Node(sum);
  }
  return Node(negative ? real(a) - real(b) : real(a) + real(b));
}

Node minus(const Node& a, const Node& b) {
  return plus(a, b, true);
}

Node negated(const Node& a) {
  return minus(a.is_integer() ? Node(0) : Node(0.0), a);
}

// The range that has the same values from the other end, when it runs the wrong way.
void sort_range(Sweep& range, bool descending) {
  const double start = real(range.start), stop = real(range.stop);
  if (descending ? start >= stop : start <= stop) return;
  const Node size = real(range.step) < 0 ? negated(range.step) : range.step;
  const Node old_start = range.start;
  range.start = descending ? minus(range.stop, size) : plus(range.stop, size);
  range.stop = descending ? minus(old_start, size) : plus(old_start, size);
  range.step = negated(range.step);
}

void sort_sweep(const FunctionCall& call, Sweep& sweep, bool descending) {
  if (sweep.kind == Sweep::Kind::kRange) return sort_range(sweep, descending);
  if (sweep.kind != Sweep::Kind::kChoice) fail(call, "takes values, a choice or a range");
  std::stable_sort(sweep.choices.begin(), sweep.choices.end(),
                   [&](const WrittenValue& a, const WrittenValue& b) {
                     return descending ? is_less(call, b.node, a.node) : is_less(call, a.node, b.node);
                   });
}

std::vector<std::string> patterns(const FunctionCall& call, const ParsedValue& value) {
  std::vector<std::string> result;
  const auto add = [&](const Node& node) {
    if (!node.is_string()) fail(call, "takes a pattern or a list of patterns, found " + brief(node));
    result.push_back(node.as_string());
  };
  if (value.sweep) fail(call, "takes patterns, found a sweep");
  if (!value.node.is_list()) add(value.node);
  if (value.node.is_list())
    for (const Node& item : value.node.items()) add(item);
  return result;
}

// What sort and shuffle act on: `sweep=`, `list=`, the only argument, or all arguments as a choice.
ParsedValue subject(FunctionCall& call) {
  for (const char* name : {"list", "sweep"}) {
    const auto named = std::find_if(call.named.begin(), call.named.end(),
                                    [&](const auto& argument) { return argument.first == name; });
    if (named == call.named.end()) continue;
    ParsedValue value = std::move(named->second);
    call.named.erase(named);
    if (!call.arguments.empty() || (!value.sweep && !value.node.is_list()))
      fail(call, std::string("takes a sweep or a list as '") + name + "', and nothing else");
    return value;
  }
  if (call.arguments.empty()) fail(call, "needs values");
  if (call.arguments.size() == 1) return std::move(call.arguments[0]);
  return simple_choice(std::move(call.arguments));
}

void refuse_named(const FunctionCall& call) {
  if (!call.named.empty()) fail(call, "has no argument '" + call.named[0].first + "'");
}

}  // namespace

ParsedValue simple_choice(std::vector<ParsedValue> elements) {
  Sweep sweep;
  sweep.comma_list = true;
  for (ParsedValue& element : elements) {
    if (element.sweep) throw ConfigurationError("a sweep cannot stand inside a list of values");
    sweep.choices.push_back({std::move(element.node), std::move(element.text)});
  }
  return sweep_of(std::move(sweep));
}

ParsedValue call_choice(FunctionCall call) {
  refuse_named(call);
  if (call.arguments.empty()) fail(call, "needs values");
  ParsedValue value =
      call.arguments.size() == 1 && call.arguments[0].sweep && call.arguments[0].sweep->comma_list
          ? std::move(call.arguments[0])
          : simple_choice(std::move(call.arguments));
  value.sweep->comma_list = false;
  return value;
}

ParsedValue call_range(FunctionCall call) {
  auto given = arguments(call, {"start", "stop", "step"}, 1);
  Sweep range;
  range.kind = Sweep::Kind::kRange;
  range.start = number(call, *given[0]);
  range.stop = given[1] ? number(call, *given[1]) : range.start;
  if (!given[1]) range.start = Node(0);
  range.step = given[2] ? number(call, *given[2]) : Node(1);
  return sweep_of(std::move(range));
}

ParsedValue call_interval(FunctionCall call) {
  auto given = arguments(call, {"start", "end"}, 2);
  Sweep interval;
  interval.kind = Sweep::Kind::kInterval;
  interval.start = Node(real(number(call, *given[0])));
  interval.stop = Node(real(number(call, *given[1])));
  return sweep_of(std::move(interval));
}

ParsedValue call_glob(FunctionCall call) {
  auto given = arguments(call, {"include", "exclude"}, 1);
  Sweep glob;
  glob.kind = Sweep::Kind::kGlob;
  glob.include = patterns(call, *given[0]);
  if (given[1]) glob.exclude = patterns(call, *given[1]);
  return sweep_of(std::move(glob));
}

ParsedValue call_shuffle(FunctionCall call) {
  ParsedValue value = subject(call);
  refuse_named(call);
  if (value.sweep) {
    if (value.sweep->kind != Sweep::Kind::kChoice && value.sweep->kind != Sweep::Kind::kRange)
      fail(call, "takes values, a list, a choice or a range");
    value.sweep->shuffled = true;
    return value;
  }
  Node list = value.node.is_list() ? std::move(value.node) : Node(Node::List{std::move(value.node)});
  shuffle_values(list.items());
  return ParsedValue::plain(std::move(list));
}

ParsedValue call_sort(FunctionCall call) {
  bool descending = false;
  std::erase_if(call.named, [&](const auto& argument) {
    if (argument.first != "reverse") return false;
    if (!argument.second.node.is_bool()) fail(call, "takes true or false as 'reverse'");
    descending = argument.second.node.as_bool();
    return true;
  });
  ParsedValue value = subject(call);
  refuse_named(call);
  if (value.sweep) {
    sort_sweep(call, *value.sweep, descending);
  } else if (value.node.is_list()) {
    std::stable_sort(value.node.items().begin(), value.node.items().end(), [&](const Node& a, const Node& b) {
      return is_less(call, descending ? b : a, descending ? a : b);
    });
    value.text = override_text(value.node);
  }
  return value;
}

ParsedValue call_tag(FunctionCall call) {
  if (call.named.size() == 1 && call.named[0].first == "sweep") {
    call.arguments.push_back(std::move(call.named[0].second));
    call.named.clear();
  }
  refuse_named(call);
  if (call.arguments.empty() || !call.arguments.back().sweep ||
      call.arguments.back().sweep->kind == Sweep::Kind::kGlob)
    fail(call, "needs a choice, a range or an interval as its last argument");
  ParsedValue value = std::move(call.arguments.back());
  call.arguments.pop_back();
  value.sweep->tags.clear();
  for (const ParsedValue& name : call.arguments) {
    if (name.sweep || !name.node.is_string()) fail(call, "takes texts as tags");
    value.sweep->tags.insert(name.node.as_string());
  }
  return value;
}

}  // namespace canvaslab::config
