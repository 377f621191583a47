// Interpolations: `${a.b}` stands for another value, `${.x}` and `${..x}` for one relative to the place,
// `${oc.env:X}` and the like for what a resolver returns. A lone interpolation keeps the type of its target;
// inside text it becomes text.
#pragma once

#include <string>

#include "core/config/value.h"

namespace canvaslab::config {

struct ResolveOptions {
  const Node* hydra = nullptr;    // what `${hydra:...}` looks into
  bool refuse_mandatory = false;  // whether a remaining `???` is an error
  bool spread_mandatory = false;  // whether a value that needs a `???` becomes one, instead of an error
};

// The tree with every interpolation replaced by its value. Resolvers: oc.env, oc.decode, oc.select,
// oc.create, oc.dict.keys, oc.dict.values, now, hydra. ConfigurationError: a missing key or `???` as target,
// a cycle, an unknown resolver, a malformed interpolation, or more work than a configuration can need; names
// the dotted key and its place.
Node resolve(const Node& root, const ResolveOptions& options = {});

// One of hydra's own values, "run.dir", with its interpolations replaced: those of the configuration `root`
// and, as
// `${hydra.*}`, of its other values. ConfigurationError as above, or when there is none.
Node resolve_hydra(const Node& root, const Node& hydra, const std::string& key);

// The value of one text that stands at the root of `root`.
Node resolve_text(const std::string& text, const Node& root, const ResolveOptions& options = {});

}  // namespace canvaslab::config
