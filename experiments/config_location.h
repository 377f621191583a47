// Where a command's configuration is looked up: the project's folder, or those that flags name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace canvaslab {

struct ConfigLocation {
  std::filesystem::path folder;            // --config-dir: searched behind the main folder
  std::string name = "config";             // --config-name
  std::filesystem::path main_folder = {};  // --config-path: instead of the project's configs/
};

// The folders to search, in order. A --config-dir that holds the primary configuration itself is a tree of
// its own: the project's folder is then left out. ConfigurationError when there is no folder at all.
std::vector<std::filesystem::path> config_folders(const ConfigLocation& location);

}  // namespace canvaslab
