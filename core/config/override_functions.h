// The functions that override values may call: casts (int, float, str, bool) and those of sweeps
// (override_sweeps.h). None has side effects.
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

}  // namespace canvaslab::config
