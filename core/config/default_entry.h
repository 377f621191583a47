// One entry of a defaults list, and the arithmetic of groups and packages that decides where its file is
// looked up and where its content lands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/config/value.h"

namespace canvaslab::config {

struct DefaultEntry {
  bool is_group = false;
  std::string path;  // the group, or the file that is included; a leading '/' searches from the root
  std::optional<std::string> option;                // the group's choice; absent for null
  std::optional<std::vector<std::string>> options;  // a list of choices
  std::optional<std::string> package;               // after '@'
  bool is_optional = false;
  bool is_override = false;
  bool is_appended = false;  // by +group=option on the command line
  bool is_primary = false;
  Source source;

  // Where the entry stands; set while the list is expanded.
  std::string parent_group;
  std::string parent_package;
  std::optional<std::string> header;  // the package that the file's own header names

  // Places the entry below a file of that group and package.
  void place(const std::string& group, const std::string& package_of_parent);
  // Notes the package of the file's `# @package` line; it is always absolute.
  void set_header(const std::optional<std::string>& name);

  bool is_self() const { return is_group ? option == "_self_" : path == "_self_"; }
  bool is_missing() const { return name() == "???"; }
  // The chosen option or the file's last name; absent for null.
  std::optional<std::string> name() const;
  // The folder below the configuration folders.
  std::string group() const;
  // The file below the configuration folders, without its ending.
  std::string file() const;
  // Where the content lands, "" for the root. A file's header counts unless `use_header` is false.
  std::string final_package(bool use_header = true) const;
  // What overrides call a group: "noise", "sampler/selection", "noise@src".
  std::string key() const;

 private:
  std::string relative_group() const;
};

// Reads a defaults list. `file` is named in errors. ConfigurationError when an entry is malformed.
std::vector<DefaultEntry> parse_defaults(const Node& list, const std::string& file);

}  // namespace canvaslab::config
