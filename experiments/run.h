// `canvaslab run`: the main job. Denoises a task's prompts with the configured sampler, shows, grades and
// records it.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "experiments/session.h"

namespace canvaslab {

// Prints one line a sample and a summary to `out`. Returns the exit status.
int run(const ConfigLocation& location, const std::vector<std::string>& overrides, std::ostream& out);

// Finishes a run that was interrupted, in its folder and with its configuration: the samples that its trace
// holds are kept, the others are run. Returns the exit status. ConfigurationError when the folder holds no
// run, or another process is at it.
int resume_run(const std::filesystem::path& folder, std::ostream& out);

}  // namespace canvaslab
