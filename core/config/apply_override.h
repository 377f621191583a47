// Value overrides of the command line, applied to the composed tree.
#pragma once

#include "core/config/override.h"
#include "core/config/value.h"

namespace canvaslab::config {

// Sets, adds, force-adds or deletes. ConfigurationError: the key does not exist (or does, for +), the nearest
// known key, and what to write instead. `groups` are names that the key may have been meant to be.
void apply_override(Node& root, const Override& override, const std::vector<std::string>& groups);

}  // namespace canvaslab::config
