// The functions that override values may call: casts (int, float, str, bool) and the
// sweeps choice, range, interval and glob. None has side effects.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/config/override_value.h"

namespace canvaslab::config {

struct FunctionCall {
  std::string name;
  std::vector<ParsedValue> arguments;
  std::vector<std::pair<std::string, ParsedValue>> named;
};

// ConfigurationError: an unknown function, wrong arguments, a value that cannot be cast.
ParsedValue evaluate(FunctionCall call);

// "a,b" as a sweep.
ParsedValue simple_choice(std::vector<ParsedValue> elements);

}  // namespace canvaslab::config
