// Where the project's own files are, found from the running program: the folder above it that holds
// configs/config.yaml.
#pragma once

#include <filesystem>
#include <string>

namespace canvaslab {

// The project's folder. Throws Error when the program lies outside of one.
std::filesystem::path project_root();

// The commit that is checked out there, or "unknown".
std::string git_commit(const std::filesystem::path& root);

}  // namespace canvaslab
