// `canvaslab list`: every configuration group, its options, and their settings with defaults, units and
// meaning.
#pragma once

#include <ostream>
#include <string>

namespace canvaslab {

// All groups, or the options of one with their settings. ConfigurationError for an unknown group.
void list_options(const std::string& group, std::ostream& out);

}  // namespace canvaslab
