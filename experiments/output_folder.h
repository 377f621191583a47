// The folder of a run: laid out as Hydra does, and enough by itself to run it again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/config/compose.h"

namespace canvaslab {

// Makes the folder that hydra.run.dir names; "-2", "-3" ... is appended when another run has it. Writes
// .hydra/config.yaml (as composed), .hydra/hydra.yaml, .hydra/overrides.yaml and resolved.yaml (as it takes
// effect).
std::filesystem::path make_output_folder(const config::Composition& composition,
                                         const config::Node& effective,
                                         const std::vector<std::string>& overrides);

}  // namespace canvaslab
