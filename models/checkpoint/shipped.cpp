#include "models/checkpoint/shipped.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/error.h"
#include "core/nearest.h"
#include "core/project.h"

namespace canvaslab {

std::filesystem::path checkpoint_folder(const std::string& name, const std::string& setting) {
  if (name.find('/') != std::string::npos || std::filesystem::is_directory(name)) return name;
  const std::filesystem::path shipped = project_root() / "models" / "pretrained";
  std::vector<std::string> known;
  for (const auto& entry : std::filesystem::directory_iterator(shipped))
    known.push_back(entry.path().filename().string());
  if (std::find(known.begin(), known.end(), name) != known.end()) return shipped / name;
  throw ConfigurationError(fmt::format("{}: '{}' is neither a folder nor one of the shipped checkpoints{}",
                                       setting, name, did_you_mean(name, known)));
}

}  // namespace canvaslab
