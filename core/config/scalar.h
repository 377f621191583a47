// What a plain (unquoted) scalar of a YAML 1.1 file means, and how a scalar is written so that it reads back
// the same.
#pragma once

#include <string>
#include <string_view>

#include "core/config/value.h"

namespace canvaslab::config {

// The value of a plain scalar: null, bool (also yes/no/on/off), integer (also 017, 0x1F, 0b1, 1_000, 1:30),
// real (also 1e3, .5, .inf, 1:30.5), `???`, else string. Throws ConfigurationError for an integer beyond 64
// bits.
Node plain_scalar(std::string_view text);

// A string's node: `???` is the mandatory mark, quoted or not, as in Hydra.
Node string_scalar(std::string text);

// A number as Python prints it: the shortest text that reads back the same, always with a point or an
// exponent.
std::string real_text(double value);

// A scalar as YAML; strings are quoted when they would read back as anything else.
std::string scalar_text(const Node& scalar);

// A scalar as it appears inside interpolated text: strings bare, null and bools as in YAML (Python prints
// None, True).
std::string bare_text(const Node& scalar);

}  // namespace canvaslab::config
