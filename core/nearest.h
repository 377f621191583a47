// Suggests the nearest known spelling of a name for error messages.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace canvaslab {

// The known name with the smallest edit distance to `name`, or "" when none is near enough to be meant.
std::string nearest(std::string_view name, std::span<const std::string> known);

// "did you mean 'x'?" with a leading "; ", or "" when nothing is near.
std::string did_you_mean(std::string_view name, std::span<const std::string> known);

}  // namespace canvaslab
