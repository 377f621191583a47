// Entries of defaults lists.
#include "core/config/default_entry.h"

#include <algorithm>

#include "core/config/scalar.h"
#include "core/error.h"

namespace canvaslab::config {
namespace {

constexpr std::string_view kGlobal = "_global_";

std::string without_slash(const std::string& path) {
  return path.starts_with('/') ? path.substr(1) : path;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string joined(const std::string& outer, const std::string& inner, char separator) {
  if (outer.empty()) return inner;
  return inner.empty() ? outer : outer + separator + inner;
}

std::string dotted(std::string path) {
  std::replace(path.begin(), path.end(), '/', '.');
  return path;
}

[[noreturn]] void fail(const Source& source, const std::string& file, const std::string& what) {
  const std::string place = source.text();
  throw ConfigurationError((place.empty() ? "" : place + ": ") + "In '" + file + "': " + what);
}

// Takes "optional" and "override" off the front and the package off the end of "optional override
// group@package".
void read_key(const std::string& text, DefaultEntry& entry) {
  std::string rest = text;
  const std::size_t at = rest.find('@');
  if (at != std::string::npos) {
    entry.package = rest.substr(at + 1);
    rest = rest.substr(0, at);
  }
  while (true) {
    const std::size_t space = rest.find(' ');
    const std::string word = rest.substr(0, space);
    if (space == std::string::npos || (word != "optional" && word != "override")) break;
    (word == "optional" ? entry.is_optional : entry.is_override) = true;
    rest = rest.substr(space + 1);
  }
  entry.path = rest;
  if (entry.package == "_here_") entry.package = "";
}

void read_choice(const Node& value, const std::string& file, DefaultEntry& entry) {
  if (value.is_null()) return;
  if (value.is_string() || value.is_mandatory()) {
    entry.option = bare_text(value);
    return;
  }
  if (!value.is_list())
    fail(value.source(), file,
         "the choice of '" + entry.path + "' must be text, a list of texts or null, found " + brief(value));
  entry.options.emplace();
  for (const Node& item : value.items()) {
    if (!item.is_string())
      fail(item.source(), file, "the choices of '" + entry.path + "' must be texts, found " + brief(item));
    entry.options->push_back(item.as_string());
  }
}

DefaultEntry parse_entry(const Node& item, const std::string& file) {
  DefaultEntry entry;
  entry.source = item.source();
  if (item.is_string()) {
    read_key(item.as_string(), entry);
    if (entry.is_override)
      fail(item.source(), file, "'override' needs a group and an option: 'override group: option'");
    if (entry.is_self() && entry.package) fail(item.source(), file, "_self_ takes no package");
    if (entry.path.empty()) fail(item.source(), file, "an entry of the defaults list is empty");
    return entry;
  }
  if (!item.is_map() || item.entries().size() != 1)
    fail(item.source(), file,
         "an entry of the defaults list must be a name or one 'group: option', found " + brief(item));
  entry.is_group = true;
  read_key(item.entries()[0].key, entry);
  if (entry.path.empty()) fail(item.source(), file, "a group's name is missing in the defaults list");
  read_choice(item.entries()[0].value, file, entry);
  return entry;
}

}  // namespace

void DefaultEntry::place(const std::string& group_of_parent, const std::string& package_of_parent) {
  parent_group = group_of_parent;
  parent_package = package_of_parent;
  if (!package) return;
  constexpr std::string_view kGroup = "_group_";
  const std::size_t found = package->find(kGroup);
  if (found != std::string::npos)
    package = std::string(kGlobal) + "." + package->replace(found, kGroup.size(), dotted(group()));
}

void DefaultEntry::set_header(const std::optional<std::string>& name_in_file) {
  if (!name_in_file) return;
  header = *name_in_file;
  if (header == "") header = std::string(kGlobal);
  if (*header != kGlobal && !header->starts_with("_global_.")) header = "_global_." + *header;
}

std::optional<std::string> DefaultEntry::name() const {
  if (is_group) return option;
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string DefaultEntry::group() const {
  const std::string own = is_group ? without_slash(path) : folder_of(without_slash(path));
  return path.starts_with('/') ? own : joined(parent_group, own, '/');
}

std::string DefaultEntry::file() const {
  return joined(group(), name().value_or(""), '/');
}

std::string DefaultEntry::relative_group() const {
  return is_group ? without_slash(path) : folder_of(without_slash(path));
}

std::string DefaultEntry::final_package(bool use_header) const {
  std::string own = dotted(relative_group());
  if (package) {
    own = *package;
  } else if (use_header && header) {
    own = *header;
  }
  const std::string full = joined(parent_package, own, '.');
  const std::size_t global = full.rfind(kGlobal);
  if (global == std::string::npos) return full;
  return full.size() > global + kGlobal.size() ? full.substr(global + kGlobal.size() + 1) : "";
}

std::string DefaultEntry::key() const {
  const std::string final = final_package(false);
  if (final == dotted(group())) return group();
  return group() + "@" + (final.empty() ? std::string(kGlobal) : final);
}

std::vector<DefaultEntry> parse_defaults(const Node& list, const std::string& file) {
  if (!list.is_list()) fail(list.source(), file, "defaults must be a list, found " + brief(list));
  std::vector<DefaultEntry> entries;
  for (const Node& item : list.items()) entries.push_back(parse_entry(item, file));
  return entries;
}

}  // namespace canvaslab::config
