// What `${name:arguments}` returns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/config/value.h"

namespace canvaslab::config {

// What a resolver may ask of the tree that is being resolved.
class ResolverContext {
 public:
  virtual ~ResolverContext() = default;
  // The resolved value at a dotted key, or nothing when it is missing or `???`.
  virtual std::optional<Node> select_value(const std::string& key) = 0;
  virtual std::optional<Node> select_hydra(const std::string& key) = 0;
  // A tree with its interpolations resolved at the present place.
  virtual Node resolve_inside(const Node& node) = 0;
};

// ConfigurationError: an unknown resolver, wrong arguments, an unset environment variable.
Node run_resolver(const std::string& name, const std::vector<Node>& arguments, ResolverContext& context);

}  // namespace canvaslab::config
