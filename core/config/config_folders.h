// The configuration folders that files are looked up in, in order, and the built-in files of the `hydra`
// group behind them. Nothing outside the folders is read.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/config/default_entry.h"
#include "core/config/value.h"

namespace canvaslab::config {

// One file, taken apart.
struct ConfigFile {
  std::optional<std::string> package;  // of its line `# @package NAME`
  std::vector<DefaultEntry> defaults;  // of its `defaults` list
  Node content;                        // a map or a list, without `defaults`
  std::string description;             // its first comment line other than `# @package`, or ""
};

// A folder that files are looked up in, and who named it: "main", "command-line" or "hydra.searchpath in
// ...".
struct ConfigSource {
  std::filesystem::path folder;
  std::string provider;
};

class ConfigFolders {
 public:
  // The first folder is the main one, others were named on the command line. ConfigurationError when one does
  // not exist.
  explicit ConfigFolders(const std::vector<std::filesystem::path>& folders);

  // Adds a folder behind the others. ConfigurationError when it does not exist.
  void append(ConfigSource source);

  // The file of that path ("noise/masked"), from the first folder that has it; null when none has. Files are
  // kept. ConfigurationError: the file cannot be parsed, or the path leads out of its folder.
  const ConfigFile* load(const std::string& path);

  bool is_group(const std::string& path) const;
  // The options of a group, sorted; the groups inside a group ("" for the root), sorted.
  std::vector<std::string> options(const std::string& group) const;
  std::vector<std::string> groups(const std::string& group) const;

  // Every group that has options, sorted: "noise", "sampler/selection", "hydra/launcher".
  std::vector<std::string> all_groups() const;

  // "Configuration folders:" and one line each, for messages.
  std::string describe() const;
  const std::vector<ConfigSource>& sources() const { return sources_; }

 private:
  std::optional<ConfigFile> read(const std::string& path) const;

  std::vector<ConfigSource> sources_;
  std::map<std::string, std::optional<ConfigFile>> files_;
};

// The built-in files, by path: the defaults of the hydra node.
const std::map<std::string, const char*>& built_in_files();

}  // namespace canvaslab::config
