// The command `canvaslab compose`: prints a composed configuration, untyped, as a Hydra application that
// prints its job configuration would.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

namespace canvaslab {

// Composes `config_name` of the folder with the overrides and prints it as YAML; interpolations are kept as
// text unless `resolve`. Returns exit status 0. ConfigurationError when it cannot be composed; warnings go to
// the log.
int compose_command(const std::filesystem::path& config_folder, const std::string& config_name, bool resolve,
                    const std::vector<std::string>& overrides, std::ostream& out);

}  // namespace canvaslab
