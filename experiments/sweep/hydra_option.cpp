#include "experiments/sweep/hydra_option.h"

#include <fmt/format.h>

#include "core/config/targets.h"
#include "core/registry.h"

namespace canvaslab {

config::Node option_node(const config::Node& hydra, const char* group) {
  config::Node node = config::Node::map();
  if (const config::Node* chosen = hydra.find(group); chosen != nullptr && chosen->is_map()) node = *chosen;
  config::Errors errors;
  config::name_targets(node, errors, fmt::format("hydra.{}", group));
  errors.throw_if_any();
  if (node.find("name") != nullptr) return node;
  config::Node basic = config::Node::map();
  basic.set("name", config::Node("basic"));
  return basic;
}

std::unique_ptr<Sweeper> chosen_sweeper(const config::Node& hydra) {
  config::Errors errors;
  auto sweeper = Registry<Sweeper>::build(option_node(hydra, "sweeper"), errors, "hydra.sweeper");
  errors.throw_if_any();
  return sweeper;
}

}  // namespace canvaslab
