// Composition: parse the words, expand the defaults list, merge the files, apply the value overrides.
#include "core/config/compose.h"

#include <algorithm>

#include "core/config/apply_override.h"
#include "core/config/errors.h"
#include "core/config/interpolation_parser.h"
#include "core/config/merge.h"
#include "core/config/scalar.h"
#include "core/error.h"

namespace canvaslab::config {
namespace {

void refuse_sweep(const Override& override, bool multirun) {
  const std::string place = "command line '" + override.word + "': ";
  if (!override.sweep || (multirun && !is_hydra_override(override))) return;
  if (multirun)
    throw ConfigurationError(place + "Sweeping over Hydra's configuration is not supported : '" +
                             override.word + "'");
  if (!override.sweep->comma_list)
    throw ConfigurationError(place + "Sweep parameters '" + override.word + "' requires --multirun");
  throw ConfigurationError(place + "Ambiguous value for argument '" + override.word +
                           "'\n1. To use it as a list, use key=[value1,value2]" +
                           "\n2. To use it as string, quote the value: key='value1,value2'" +
                           "\n3. To sweep over it, add --multirun to your command line");
}

// The words that can be used; what is wrong with the others goes to `errors`.
std::vector<Override> usable_overrides(const ComposeRequest& request, Errors& errors) {
  std::vector<Override> overrides;
  for (const std::string& word : request.overrides) {
    try {
      Override override = parse_override(word);
      refuse_sweep(override, request.multirun);
      overrides.push_back(std::move(override));
    } catch (const ConfigurationError& error) {
      errors.add(error.what());
    }
  }
  return overrides;
}

// hydra.searchpath adds folders; only the primary file and the command line may set it.
void add_search_path(ConfigFolders& folders, const std::string& primary,
                     const std::vector<Override>& overrides) {
  const ConfigFile* file = folders.load(primary);
  const Node* paths = file ? select(file->content, "hydra.searchpath") : nullptr;
  std::string provider = "hydra.searchpath in main";
  for (const Override& override : overrides)
    if (override.key == "hydra.searchpath" && override.value) {
      paths = &*override.value;
      provider = "hydra.searchpath in command-line";
      break;
    }
  if (!paths || paths->is_null()) return;
  const auto refuse = [&](const Node& found) {
    Errors errors;
    errors.add(found, "hydra.searchpath",
               "must be a list of strings ('file://folder'). Got: " + brief(found));
    errors.throw_if_any();
  };
  if (!paths->is_list()) refuse(*paths);
  for (const Node& item : paths->items()) {
    if (!item.is_string()) refuse(item);
    constexpr std::string_view kScheme = "file://";
    const std::string& text = item.as_string();
    if (text.find("://") != std::string::npos && !text.starts_with(kScheme)) refuse(item);
    folders.append({text.starts_with(kScheme) ? text.substr(kScheme.size()) : text, provider});
  }
}

Node merge_files(ConfigFolders& folders, const std::vector<DefaultsRow>& rows) {
  Node root = Node::map();
  for (const DefaultsRow& row : rows) {
    Node tree = embed(row.package, folders.load(row.file)->content);
    if (!tree.is_map())
      throw ConfigurationError("In '" + row.file + "': the root must be a map, found " + brief(tree));
    if (!row.is_primary && row.file != "hydra/config" && select(tree, "hydra.searchpath"))
      throw ConfigurationError("In '" + row.file +
                               "': Overriding hydra.searchpath is only supported from the primary config");
    try {
      merge(root, tree);
    } catch (const ConfigurationError& error) {
      throw ConfigurationError("In '" + row.file + "': " + error.what());
    }
  }
  return root;
}

void apply_values(Node& root, const std::vector<Override>& values, const std::vector<std::string>& groups,
                  Errors& errors) {
  for (const Override& value : values) {
    try {
      apply_override(root, value, groups);
    } catch (const ConfigurationError& error) {
      errors.add(error.what());
    }
  }
}

// Adds why a defaults list cannot be expanded: every choice among the words that fails by itself, or, where
// none does, the error that was met.
void add_wrong_choices(ConfigFolders& folders, const ComposeRequest& request,
                       const std::vector<Override>& overrides, const ConfigurationError& met,
                       Errors& errors) {
  const auto error_of = [&](const std::vector<Override>& some) -> std::string {
    try {
      expand_defaults(folders, request.config_name, some, request.multirun);
      return "";
    } catch (const ConfigurationError& error) {
      return error.what();
    }
  };
  const std::size_t before = errors.size();
  if (error_of({}).empty()) {
    for (const Override& override : overrides) {
      if (!folders.is_group(override.key)) continue;
      std::string error = error_of({override});
      if (error.empty()) continue;
      const std::string place = "command line '" + override.word + "': ";
      errors.add(error.starts_with(place) ? std::move(error) : place + error);
    }
  }
  if (errors.size() == before) errors.add(met.what());
}

// Interpolations are kept as text, but they must be well-formed.
void check_interpolations(const Node& node, const std::string& path, Errors& errors) {
  if (node.is_string() && has_interpolation(node.as_string())) {
    try {
      split_text(node.as_string());
    } catch (const ConfigurationError& error) {
      errors.add(node, path, error.what());
    }
  }
  if (node.is_list())
    for (const Node& item : node.items()) check_interpolations(item, path, errors);
  if (node.is_map())
    for (const Entry& entry : node.entries())
      check_interpolations(entry.value, join_path(path, entry.key), errors);
}

std::string text_at(const Node& hydra, const std::string& path, const std::string& otherwise) {
  const Node* node = select(hydra, path);
  return node && !node->is_list() && !node->is_map() ? bare_text(*node) : otherwise;
}

// The task's words, sorted and joined: a name for a job's folder.
std::string override_dirname(const Node& hydra, const std::vector<Override>& overrides) {
  const std::string base = "job.config.override_dirname.";
  const Node* excluded = select(hydra, base + "exclude_keys");
  std::vector<std::string> words;
  for (const Override& override : overrides) {
    const auto is_key = [&](const Node& node) {
      return node.is_string() && node.as_string() == override.key;
    };
    const bool skipped = excluded && excluded->is_list() &&
                         std::any_of(excluded->items().begin(), excluded->items().end(), is_key);
    if (!is_hydra_override(override) && !skipped) words.push_back(override.word);
  }
  std::sort(words.begin(), words.end());
  const std::string kv_separator = text_at(hydra, base + "kv_sep", "=");
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += text_at(hydra, base + "item_sep", ",");
    for (const char c : word) text += c == '=' ? kv_separator : std::string(1, c);
  }
  return text;
}

Node sources_node(const ConfigFolders& folders) {
  Node list = Node::list();
  for (const ConfigSource& source : folders.sources()) {
    Node& item = list.items().emplace_back(Node::map());
    item.set("path", Node(std::filesystem::absolute(source.folder).lexically_normal().string()));
    item.set("schema", Node("file"));
    item.set("provider", Node(source.provider));
  }
  return list;
}

// Notes in the hydra node what was asked for and chosen.
void record(Node& hydra, const ComposeRequest& request, const ConfigFolders& folders,
            const Defaults& defaults, const std::vector<Override>& overrides) {
  const auto set = [&](const std::string& path, Node value) { merge(hydra, embed(path, std::move(value))); };
  Node task = Node::list(), own = Node::list(), choices = Node::map();
  for (const Override& override : overrides)
    (is_hydra_override(override) ? own : task).items().emplace_back(override.word);
  for (const auto& [key, option] : defaults.choices) choices.set(key, option ? Node(*option) : Node());
  set("overrides.task", std::move(task));
  set("overrides.hydra", std::move(own));
  set("runtime.choices", std::move(choices));
  set("runtime.config_sources", sources_node(folders));
  set("runtime.cwd", Node(std::filesystem::current_path().string()));
  set("job.config_name", Node(request.config_name));
  set("job.override_dirname", Node(override_dirname(hydra, overrides)));
  if (request.job_number) {
    set("job.id", Node(std::to_string(*request.job_number)));
    set("job.num", Node(*request.job_number));
  }
}

}  // namespace

bool is_hydra_override(const Override& override) {
  return override.key.starts_with("hydra.") || override.key.starts_with("hydra/");
}

std::vector<Override> parse_overrides(const std::vector<std::string>& words) {
  std::vector<Override> overrides;
  Errors errors;
  for (const std::string& word : words) {
    try {
      overrides.push_back(parse_override(word));
    } catch (const ConfigurationError& error) {
      errors.add(error.what());
    }
  }
  errors.throw_if_any();
  return overrides;
}

ConfigFolders open_folders(const ComposeRequest& request, const std::vector<Override>& overrides) {
  ConfigFolders folders(request.config_folders);
  add_search_path(folders, request.config_name, overrides);
  return folders;
}

std::optional<Composition> compose_all(const ComposeRequest& request, Errors& errors) {
  const std::vector<Override> overrides = usable_overrides(request, errors);
  try {
    ConfigFolders folders = open_folders(request, overrides);
    Defaults defaults;
    try {
      defaults = expand_defaults(folders, request.config_name, overrides, request.multirun);
    } catch (const ConfigurationError& error) {
      add_wrong_choices(folders, request, overrides, error, errors);
      return std::nullopt;
    }
    Node root = merge_files(folders, defaults.rows);
    apply_values(root, defaults.values, folders.groups(""), errors);
    check_interpolations(root, "", errors);
    Composition result;
    if (Node* hydra = root.find("hydra")) result.hydra = std::move(*hydra);
    root.erase("hydra");
    if (!result.hydra.is_map())
      throw ConfigurationError("hydra: expected a map, found " + brief(result.hydra));
    result.config = std::move(root);
    record(result.hydra, request, folders, defaults, overrides);
    result.defaults = std::move(defaults.rows);
    result.tree = std::move(defaults.tree);
    result.warnings = std::move(defaults.warnings);
    return result;
  } catch (const ConfigurationError& error) {
    errors.add(error.what());
    return std::nullopt;
  }
}

Composition compose_all(const ComposeRequest& request) {
  Errors errors;
  std::optional<Composition> result = compose_all(request, errors);
  errors.throw_if_any();
  return std::move(*result);
}

Node compose(const ComposeRequest& request) {
  return std::move(compose_all(request).config);
}

}  // namespace canvaslab::config
