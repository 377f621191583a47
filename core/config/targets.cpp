#include "core/config/targets.h"

#include <fmt/format.h>

namespace canvaslab::config {
namespace {

void rename(Node& map, Errors& errors, const std::string& path) {
  if (map.find("name")) {
    errors.add(map, join_path(path, "_target_"), "says what `name` says; keep one of the two");
    return;
  }
  for (const char* key : {"_args_", "_partial_", "_recursive_", "_convert_"})
    if (const Node* found = map.find(key))
      errors.add(*found, join_path(path, key), "cannot be said of an option; give its settings by name");
  for (Entry& entry : map.entries())
    if (entry.key == "_target_") entry.key = "name";
}

}  // namespace

void name_targets(Node& node, Errors& errors, const std::string& path) {
  if (node.is_list())
    for (std::size_t i = 0; i < node.items().size(); ++i)
      name_targets(node.items()[i], errors, join_path(path, fmt::format("{}", i)));
  if (!node.is_map()) return;
  if (node.find("_target_")) rename(node, errors, path);
  for (Entry& entry : node.entries()) name_targets(entry.value, errors, join_path(path, entry.key));
}

}  // namespace canvaslab::config
