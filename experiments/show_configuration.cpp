#include "experiments/show_configuration.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>

#include "core/config/interpolate.h"
#include "core/config/scalar.h"
#include "core/config/yaml.h"
#include "core/error.h"
#include "core/nearest.h"
#include "core/standard_streams.h"

namespace canvaslab {
namespace {

using config::Composition;
using config::Node;

// hydra's node without its help texts, as Hydra shows it.
Node shown_hydra(const Composition& composition) {
  Node hydra = composition.hydra;
  hydra.erase("help");
  hydra.erase("hydra_help");
  return hydra;
}

Node tree(const Composition& composition, const std::string& which) {
  if (which == "job") return composition.config;
  Node root = Node::map();
  root.set("hydra", which == "all" ? composition.hydra : shown_hydra(composition));
  if (which == "all")
    for (const config::Entry& entry : composition.config.entries()) root.entries().push_back(entry);
  return root;
}

// The node at a dotted path. An interpolation there stands for its target.
Node node_at(const Node& root, const std::string& package, const Composition& composition) {
  const Node* node = config::select(root, package);
  if (!node || node->is_null()) {
    std::vector<std::string> known;
    if (root.is_map())
      for (const config::Entry& entry : root.entries()) known.push_back(entry.key);
    throw ConfigurationError(
        fmt::format("package '{}' not found in config{}", package, did_you_mean(package, known)));
  }
  if (!node->is_string()) return *node;
  return config::resolve_text(node->as_string(), root, {.hydra = &composition.hydra});
}

void print_header(const char* title, std::ostream& out) {
  fmt::print(out, "{}\n{:*<{}}\n", title, "", std::string_view(title).size());
}

// Rows of equal length, the first being the header.
void print_table(const char* title, const std::vector<std::vector<std::string>>& rows, const char* header_end,
                 std::ostream& out) {
  std::vector<std::size_t> widths(rows[0].size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  const auto line = [&](const std::vector<std::string>& row) {
    std::string text;
    for (std::size_t i = 0; i < row.size(); ++i) text += fmt::format("| {:<{}} ", row[i], widths[i]);
    return text + "|";
  };
  const std::string header = line(rows[0]) + header_end;
  fmt::print(out, "\n");
  print_header(title, out);
  fmt::print(out, "{}\n{:-<{}}\n", header, "", header.size());
  for (std::size_t i = 1; i < rows.size(); ++i) fmt::print(out, "{}\n", line(rows[i]));
  fmt::print(out, "{:-<{}}\n", "", header.size());
}

void print_defaults(const Composition& composition, std::ostream& out) {
  std::vector<std::vector<std::string>> rows{{"Config path", "Package", "_self_", "Parent"}};
  for (const config::DefaultsRow& row : composition.defaults)
    rows.push_back({row.file, row.package, row.is_self ? "True" : "False", row.parent});
  print_table("Defaults List", rows, " ", out);
}

void print_branch(const config::DefaultsTree& tree, int depth, std::ostream& out) {
  fmt::print(out, "{:{}}{}{}\n", "", 2 * depth, tree.text, tree.entries.empty() ? "" : ":");
  for (const config::DefaultsTree& entry : tree.entries) print_branch(entry, depth + 1, out);
}

void print_tree(const Composition& composition, std::ostream& out) {
  fmt::print(out, "\n");
  print_header("Defaults Tree", out);
  print_branch(composition.tree, 0, out);
}

void print_search_path(const Composition& composition, std::ostream& out) {
  std::vector<std::vector<std::string>> rows{{"Provider", "Search path"}};
  for (const Node& source : config::select(composition.hydra, "runtime.config_sources")->items())
    rows.push_back(
        {source.find("provider")->as_string(), fmt::format("file://{}", source.find("path")->as_string())});
  rows.insert(rows.begin() + 1, {"hydra", "built-in://"});
  print_table("Config search path", rows, "", out);
}

void print_groups(const config::ComposeRequest& request, bool hydra, std::ostream& out) {
  config::ConfigFolders folders = config::open_folders(request, config::parse_overrides(request.overrides));
  for (const std::string& group : folders.all_groups()) {
    if ((group == "hydra" || group.starts_with("hydra/")) != hydra) continue;
    fmt::print(out, "{}\n", group);
    for (const std::string& option : folders.options(group)) {
      const std::string& description = folders.load(fmt::format("{}/{}", group, option))->description;
      fmt::print(out, "    {:<24} {}\n", option, description);
    }
  }
}

}  // namespace

Composition composed(const config::ComposeRequest& request) {
  Composition composition = config::compose_all(request);
  for (const std::string& warning : composition.warnings) tell(fmt::format("warning: {}\n", warning));
  return composition;
}

void show_cfg(const Composition& composition, const std::string& which, const std::string& package,
              bool resolve, std::ostream& out) {
  const Node root = tree(composition, which);
  const config::ResolveOptions options{.hydra = &composition.hydra, .spread_mandatory = true};
  const bool whole = package.empty() || package == "_global_";
  Node shown = whole ? root : node_at(root, package, composition);
  if (resolve)
    shown =
        whole ? config::resolve(root, options) : config::resolve_text("${" + package + "}", root, options);
  if (!shown.is_map() && !shown.is_list()) {
    fmt::print(out, "{}\n", config::bare_text(shown));
    return;
  }
  if (!whole) fmt::print(out, "# @package {}\n", package);
  fmt::print(out, "{}", config::to_yaml(shown));
}

void show_info(const config::ComposeRequest& request, const std::string& topic, std::ostream& out) {
  const Composition composition = composed(request);
  if (topic == "all") fmt::print(out, "canvaslab {}, as Hydra 1.3.8\n", CANVASLAB_VERSION);
  const bool everything = topic == "all" || topic == "config";
  if (everything || topic == "searchpath") print_search_path(composition, out);
  if (everything || topic == "defaults-tree") print_tree(composition, out);
  if (everything || topic == "defaults") print_defaults(composition, out);
  if (!everything) return;
  print_header("Config", out);
  fmt::print(out, "{}\n", config::to_yaml(composition.config));
}

void show_help(const config::ComposeRequest& request, const std::string& flags_help, bool hydra, bool resolve,
               std::ostream& out) {
  fmt::print(
      out, "{}\n== Configuration groups ==\nCompose your configuration from those groups (group=option)\n\n",
      flags_help);
  print_groups(request, hydra, out);
  if (hydra) {
    fmt::print(out, "\nUse '--cfg hydra' to show hydra's own configuration.\n");
    return;
  }
  const Composition composition = composed(request);
  fmt::print(out, "\n== Config ==\nOverride anything in the config (foo.bar=value)\n\n{}\n",
             config::to_yaml(resolve ? config::resolve(composition.config, {.hydra = &composition.hydra,
                                                                            .spread_mandatory = true})
                                     : composition.config));
  fmt::print(out, "`canvaslab list GROUP` shows every setting with its meaning, unit and range.\n");
}

}  // namespace canvaslab
