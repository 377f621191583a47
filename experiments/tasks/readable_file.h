// Whether a file that a configuration names can be read.
#pragma once

#include <filesystem>
#include <string>

namespace canvaslab {

// ConfigurationError "FILE: WHAT cannot be read: REASON" when it is not there, is a folder, or may not be
// read; followed by `advice`, or else by the nearest name beside it.
void check_readable(const std::filesystem::path& file, const std::string& what,
                    const std::string& advice = "");

}  // namespace canvaslab
