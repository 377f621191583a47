// The functions of override values that make and change sweeps: choice, range, interval and glob; shuffle,
// sort and tag. Each throws ConfigurationError for arguments that it cannot take.
#pragma once

#include <vector>

#include "core/config/override_functions.h"

namespace canvaslab::config {

// "a,b" as a sweep. ConfigurationError when an element is one itself.
ParsedValue simple_choice(std::vector<ParsedValue> elements);

ParsedValue call_choice(FunctionCall call);
ParsedValue call_range(FunctionCall call);  // range(stop), range(start, stop, step=1)
ParsedValue call_interval(
    FunctionCall call);                    // interval(start, end): reals; int(...) makes it one of integers
ParsedValue call_glob(FunctionCall call);  // glob(include, exclude=[])
ParsedValue call_shuffle(FunctionCall call);  // of values, a list or a sweep
ParsedValue call_sort(FunctionCall call);     // likewise, with reverse=false
ParsedValue call_tag(FunctionCall call);      // tag(name..., sweep)

}  // namespace canvaslab::config
