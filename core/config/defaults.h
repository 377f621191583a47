// Expands the defaults list of the primary configuration file: which files are merged, in which order, and
// where the content of each lands. Command-line choices (group=option, +group=option, ~group) are part of it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/config/config_folders.h"
#include "core/config/override.h"

namespace canvaslab::config {

// One file to merge.
struct DefaultsRow {
  std::string file;      // "noise/masked"
  std::string package;   // "noise"; "" for the root
  std::string parent;    // the file whose list names it; "<root>" for the primary
  bool is_self = false;  // the file's own content, among the entries of its list
  bool is_primary = false;
  std::string key;  // of a group's option that has no list of its own: "noise", "noise@src"
};

// An entry of a defaults list with those of its file: "noise: masked", "base", "_self_". Entries of lists
// that are left to their file's own content have no `_self_`.
struct DefaultsTree {
  std::string text;
  std::vector<DefaultsTree> entries;
};

struct Defaults {
  std::vector<DefaultsRow> rows;
  DefaultsTree tree;  // "<root>" above hydra's own files and the primary
  // Each group's choice (null: none), in the order in which groups were met.
  std::vector<std::pair<std::string, std::optional<std::string>>> choices;
  std::vector<Override> values;  // the overrides that are no choices
  std::vector<std::string> warnings;
};

// ConfigurationError: a file or option that does not exist, a choice that is missing or made twice, an
// override that matches nothing, a malformed list. Sweeps among the overrides are left out; for the common
// part of a sweep, so are choices that are still ???.
Defaults expand_defaults(ConfigFolders& folders, const std::string& primary,
                         const std::vector<Override>& overrides, bool of_sweep = false);

}  // namespace canvaslab::config
