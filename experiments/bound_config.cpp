#include "experiments/bound_config.h"

#include <fmt/format.h>

#include "core/config/interpolate.h"
#include "core/config/targets.h"

namespace canvaslab {
namespace {

// What Hydra would do and this program does not must not be asked for in vain.
void refuse_unsupported(const config::Node& hydra, config::Errors& errors) {
  for (const char* key : {"job.chdir", "job.env_set", "job.env_copy", "callbacks"}) {
    const config::Node* node = config::select(hydra, key);
    if (node == nullptr || node->is_null()) continue;
    const bool is_default = (node->is_bool() && !node->as_bool()) ||
                            (node->is_map() && node->entries().empty()) ||
                            (node->is_list() && node->items().empty());
    if (!is_default)
      errors.add(*node, fmt::format("hydra.{}", key), "is not supported here; leave it as it is");
  }
}

}  // namespace

config::Composition compose_noting(const ConfigLocation& location, const std::vector<std::string>& overrides,
                                   config::Errors& errors) {
  auto composition = config::compose_all({config_folders(location), location.name, overrides}, errors);
  if (!composition) errors.throw_if_any();
  return std::move(*composition);
}

config::Node resolved_job(const config::Composition& composition, config::Errors& errors) {
  config::Node resolved;
  try {
    resolved = config::resolve(composition.config, {.hydra = &composition.hydra});
  } catch (const ConfigurationError& error) {
    errors.add(error.what());
    errors.throw_if_any();
  }
  refuse_unsupported(composition.hydra, errors);
  config::name_targets(resolved, errors);
  return resolved;
}

}  // namespace canvaslab
