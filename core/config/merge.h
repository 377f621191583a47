// How one tree is laid over another: maps merge key by key, everything else replaces.
#pragma once

#include <string>

#include "core/config/value.h"

namespace canvaslab::config {

// Lays `over` onto `base`. Lists and scalars replace, null replaces a map, `???` never replaces a value. New
// keys are appended. ConfigurationError: a list meets a map, with the dotted key below `path` and both
// places; or a key is new and `new_keys` is false.
void merge(Node& base, const Node& over, const std::string& path = "", bool new_keys = true);

// The tree with `content` at a dotted path: {a: {b: content}} for "a.b", the content itself for "".
Node embed(const std::string& package, Node content);

}  // namespace canvaslab::config
