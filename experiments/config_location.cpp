#include "experiments/config_location.h"

#include "core/error.h"
#include "core/project.h"

namespace canvaslab {

std::vector<std::filesystem::path> config_folders(const ConfigLocation& location) {
  std::vector<std::filesystem::path> folders;
  const bool stands_alone = !location.folder.empty() && location.main_folder.empty() &&
                            std::filesystem::exists(location.folder / (location.name + ".yaml"));
  if (!location.main_folder.empty()) {
    folders.push_back(location.main_folder);
  } else if (!stands_alone) {
    try {
      folders.push_back(project_root() / "configs");
    } catch (const ConfigurationError&) {
      if (location.folder.empty()) throw;
    }
  }
  if (!location.folder.empty()) folders.push_back(location.folder);
  return folders;
}

}  // namespace canvaslab
