// Checkpoints by name: those that ship with the project, under models/pretrained.
#pragma once

#include <filesystem>
#include <string>

namespace canvaslab {

// The folder that `name` means: a path, or the name of a shipped checkpoint. `setting` names the
// configuration key in errors. ConfigurationError with the nearest name when it is neither.
std::filesystem::path checkpoint_folder(const std::string& name, const std::string& setting);

}  // namespace canvaslab
