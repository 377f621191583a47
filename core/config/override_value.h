// The value part of an override: `8`, `[a, b]`, `int(3.7)`, or a sweep such as `1,2`.
#pragma once

#include <optional>
#include <string_view>

#include "core/config/override.h"

namespace canvaslab::config {

// A value, or a sweep over values.
struct ParsedValue {
  Node node;
  std::string text;  // as a sweep's jobs write it
  std::optional<Sweep> sweep;

  // A value without quotes to remember.
  static ParsedValue plain(Node value) {
    std::string text = override_text(value);
    return {std::move(value), std::move(text), {}};
  }
};

// Parses what stands after '='. ConfigurationError: names the position and what was expected there.
ParsedValue parse_sweep_or_value(std::string_view text, const Source& source);

}  // namespace canvaslab::config
