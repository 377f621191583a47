// One command-line override, in Hydra's grammar:
//
//   key=value  +key=value  ++key=value  ~key  ~key=value      key: a.b.0 | group/sub | either@package
//
// Values are typed (numbers, bools, null, lists, dicts, quoted text, int(...) casts); anything else unquoted
// is text. Comma lists, choice(), range(), interval() and glob() are sweeps; sort(), shuffle() and tag()
// change them.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/config/value.h"

namespace canvaslab::config {

// A value, and how it is written in the words of a sweep's jobs: 1_000 as 1000; quotes stay.
struct WrittenValue {
  Node node;
  std::string text;
};

// Values for -m to run over, as written; sweep.h expands them.
struct Sweep {
  enum class Kind { kChoice, kRange, kInterval, kGlob };
  Kind kind = Kind::kChoice;
  bool comma_list = false;  // "1,2", not choice(1,2)
  bool shuffled = false;
  std::set<std::string> tags;                 // of tag(...)
  std::vector<WrittenValue> choices;          // kChoice
  Node start, stop, step;                     // kRange: integers or reals; kInterval: start and stop
  std::vector<std::string> include, exclude;  // kGlob: patterns of the group's options
};

struct Override {
  enum class Kind { kSet, kAdd, kForceAdd, kDelete };
  Kind kind = Kind::kSet;
  std::string key;                     // a dotted path or a group
  std::optional<std::string> package;  // after '@'
  std::optional<Node> value;           // absent for ~key and for sweeps
  std::string text;                    // the value as a sweep's jobs write it
  std::optional<Sweep> sweep;
  std::string word;  // as it was written

  // key, or key@package: what the defaults list calls the choice.
  std::string choice_key() const { return package ? key + "@" + *package : key; }
  // The choice's key behind its mark: "+a", "~noise@src".
  std::string marked_key() const;
};

// ConfigurationError: names the word, the position and what was expected there.
Override parse_override(const std::string& word);

// A value as an override writes it, so that parsing gives it back: special characters escaped, True and False
// as Python prints them.
std::string override_text(const Node& value);

// Parses a value alone, as it stands after '='. Sweeps are refused. `source` is given to every node.
Node parse_value(const std::string& text, const Source& source);

}  // namespace canvaslab::config
