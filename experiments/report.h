// `canvaslab report FOLDER...`: what trainings have come to so far, as text with plots, or as JSON for
// programs.
#pragma once

#include <filesystem>
#include <ostream>
#include <vector>

namespace canvaslab {

// ConfigurationError when a folder holds no training; Error when a file cannot be read.
int report(const std::vector<std::filesystem::path>& folders, bool json, std::ostream& out);

}  // namespace canvaslab
