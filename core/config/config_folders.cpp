// Finding, reading and listing configuration files.
#include "core/config/config_folders.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "core/config/yaml.h"
#include "core/error.h"

namespace canvaslab::config {
namespace {

namespace fs = std::filesystem;

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string_view::npos ? "" : std::string(text.substr(first, last - first + 1));
}

// "# @package a.b" on the first line that is not blank.
std::optional<std::string> package_of(const std::string& text, const std::string& name) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line) && trimmed(line).empty()) {
  }
  line = trimmed(line);
  if (!line.starts_with('#')) return std::nullopt;
  line = trimmed(std::string_view(line).substr(
      line.find_first_not_of('#') == std::string::npos ? line.size() : line.find_first_not_of('#')));
  if (!line.starts_with('@')) return std::nullopt;
  std::istringstream words(line);
  std::string keyword, package, more;
  words >> keyword >> package >> more;
  if (package.empty() || !more.empty())
    throw ConfigurationError(name + ": expected '# @package NAME', found '# " + line + "'");
  if (keyword != "@package") return std::nullopt;
  return package;
}

// The first comment line that says something, when comments open the text.
std::string description_of(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    line = trimmed(line);
    if (line.empty()) continue;
    if (!line.starts_with('#')) break;
    line = trimmed(std::string_view(line).substr(1));
    if (!line.empty() && !line.starts_with("@package")) return line;
  }
  return "";
}

ConfigFile take_apart(const std::string& text, const std::string& name, const std::string& path) {
  ConfigFile file;
  file.package = package_of(text, name);
  file.description = description_of(text);
  file.content = parse_yaml(text, name);
  if (file.content.is_null()) file.content = Node::map().at(file.content.source());
  if (!file.content.is_map() && !file.content.is_list())
    throw ConfigurationError(name + ": expected a map or a list, found " + brief(file.content));
  if (const Node* defaults = file.content.find("defaults")) {
    file.defaults = parse_defaults(*defaults, path);
    file.content.erase("defaults");
  }
  return file;
}

// A path that names something below a folder: no "..", no empty part.
bool stays_inside(const std::string& path) {
  if (path.empty() || path.front() == '/' || path.back() == '/') return false;
  for (const fs::path& part : fs::path(path))
    if (part == ".." || part == ".") return false;
  return path.find("//") == std::string::npos && path.find('\0') == std::string::npos;
}

// Links may not lead out of the folder either.
void check_inside(const fs::path& folder, const fs::path& file) {
  const fs::path root = fs::canonical(folder), target = fs::canonical(file);
  const auto [end, unused] = std::mismatch(root.begin(), root.end(), target.begin(), target.end());
  if (end != root.end())
    throw ConfigurationError(file.string() + ": leads out of the configuration folder " + folder.string());
}

bool is_hidden(const std::string& name) {
  return name.starts_with('.') || name == "__pycache__";
}

}  // namespace

ConfigFolders::ConfigFolders(const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) append({folder, sources_.empty() ? "main" : "command-line"});
}

void ConfigFolders::append(ConfigSource source) {
  if (!fs::is_directory(source.folder))
    throw ConfigurationError("configuration folder not found: " + source.folder.string());
  sources_.push_back(std::move(source));
}

const ConfigFile* ConfigFolders::load(const std::string& path) {
  auto found = files_.find(path);
  if (found == files_.end()) found = files_.emplace(path, read(path)).first;
  return found->second ? &*found->second : nullptr;
}

std::optional<ConfigFile> ConfigFolders::read(const std::string& path) const {
  if (!stays_inside(path)) return std::nullopt;
  const std::string name = path.ends_with(".yaml") ? path : path + ".yaml";
  for (const auto& [folder, provider] : sources_) {
    const fs::path file = folder / name;
    std::error_code unusable;  // such as a name that is too long
    if (!fs::is_regular_file(file, unusable)) continue;
    check_inside(folder, file);
    return take_apart(read_text(file, YamlLimits{}.bytes), file.string(), path);
  }
  const auto built_in = built_in_files().find(path);
  if (built_in == built_in_files().end()) return std::nullopt;
  return take_apart(built_in->second, "built-in " + path, path);
}

bool ConfigFolders::is_group(const std::string& path) const {
  if (!stays_inside(path)) return false;
  for (const auto& [folder, provider] : sources_)
    if (std::error_code unusable; fs::is_directory(folder / path, unusable)) return true;
  return std::any_of(built_in_files().begin(), built_in_files().end(),
                     [&](const auto& file) { return file.first.starts_with(path + "/"); });
}

std::vector<std::string> ConfigFolders::options(const std::string& group) const {
  std::set<std::string> names;
  if (!group.empty() && !stays_inside(group)) return {};
  for (const auto& [folder, provider] : sources_) {
    if (std::error_code unusable; !fs::is_directory(folder / group, unusable)) continue;
    for (const auto& entry : fs::directory_iterator(folder / group))
      if (entry.is_regular_file() && entry.path().extension() == ".yaml" &&
          !is_hidden(entry.path().filename().string()))
        names.insert(entry.path().stem().string());
  }
  const std::string prefix = group + "/";
  for (const auto& [path, text] : built_in_files())
    if (path.starts_with(prefix) && path.find('/', prefix.size()) == std::string::npos)
      names.insert(path.substr(prefix.size()));
  return {names.begin(), names.end()};
}

std::vector<std::string> ConfigFolders::groups(const std::string& group) const {
  std::set<std::string> names;
  if (!group.empty() && !stays_inside(group)) return {};
  for (const auto& [folder, provider] : sources_) {
    if (std::error_code unusable; !fs::is_directory(folder / group, unusable)) continue;
    for (const auto& entry : fs::directory_iterator(folder / group))
      if (entry.is_directory() && !is_hidden(entry.path().filename().string()))
        names.insert(entry.path().filename().string());
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> ConfigFolders::all_groups() const {
  std::set<std::string> found;
  std::vector<std::string> open{""};
  while (!open.empty()) {
    const std::string parent = std::move(open.back());
    open.pop_back();
    for (const std::string& name : groups(parent)) {
      std::string group = parent.empty() ? name : parent;
      if (!parent.empty()) group.append("/").append(name);
      if (!options(group).empty()) found.insert(group);
      // Links between folders could lead around in circles.
      if (std::count(group.begin(), group.end(), '/') < 8) open.push_back(std::move(group));
    }
  }
  for (const auto& [path, text] : built_in_files()) found.insert(path.substr(0, path.rfind('/')));
  return {found.begin(), found.end()};
}

std::string ConfigFolders::describe() const {
  std::string text = "Configuration folders:";
  for (const ConfigSource& source : sources_) text += "\n\t" + source.folder.string();
  return text;
}

}  // namespace canvaslab::config
