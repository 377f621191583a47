// `_target_`, as Hydra's configurations name what is to be built: here it is another spelling of `name`, so
// that such a configuration builds registered options (core/registry.h) and nothing else.
#pragma once

#include "core/config/errors.h"
#include "core/config/value.h"

namespace canvaslab::config {

// Renames `_target_` to `name` throughout the tree. Adds an error for a map that has both, and for what
// cannot be said of an option: `_args_` (settings have names), `_partial_`, `_recursive_` and `_convert_`.
void name_targets(Node& node, Errors& errors, const std::string& path = "");

}  // namespace canvaslab::config
