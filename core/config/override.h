// One command-line override, in Hydra's grammar:
//
//   key=value  +key=value  ++key=value  ~key  ~key=value      key: a.b.0 | group/sub | either@package
//
// Values are typed (numbers, bools, null, lists, dicts, quoted text, int(...) casts); anything else unquoted
// is text. Comma lists, choice(), range(), interval() and glob() are sweeps.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/config/value.h"

namespace canvaslab::config {

// Values for -m to run over, as written; what they expand to is the sweep's business.
struct Sweep {
  enum class Kind { kChoice, kRange, kInterval, kGlob };
  Kind kind = Kind::kChoice;
  bool comma_list = false;                          // "1,2", not choice(1,2)
  std::vector<Node> arguments;                      // the values, or the function's positional arguments
  std::vector<std::pair<std::string, Node>> named;  // the function's named arguments
};

struct Override {
  enum class Kind { kSet, kAdd, kForceAdd, kDelete };
  Kind kind = Kind::kSet;
  std::string key;                     // a dotted path or a group
  std::optional<std::string> package;  // after '@'
  std::optional<Node> value;           // absent for ~key and for sweeps
  std::optional<Sweep> sweep;
  std::string word;  // as it was written

  // key, or key@package: what the defaults list calls the choice.
  std::string choice_key() const { return package ? key + "@" + *package : key; }
};

// ConfigurationError: names the word, the position and what was expected there.
Override parse_override(const std::string& word);

// Parses a value alone, as it stands after '='. Sweeps are refused. `source` is given to every node.
Node parse_value(const std::string& text, const Source& source);

}  // namespace canvaslab::config
