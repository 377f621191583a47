// `canvaslab run --multirun`, `run --resume` and `sweep`: what a person does with a sweep.
#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "experiments/session.h"

namespace canvaslab {

// Plans a sweep and runs it. Exit status: 0 every cell finished, 1 some failed or are missing. Interrupted
// when a signal came; what was done is kept.
int run_sweep(const ConfigLocation& location, const std::vector<std::string>& overrides, std::ostream& out);

// Finishes a sweep, or a single run, in its folder. A sweep's launcher may be chosen anew by `words`; a run
// takes none. Cells that failed are tried again.
int resume(const std::filesystem::path& folder, const std::vector<std::string>& words, std::ostream& out);

// Brings the sweep's table up to date and prints it, with the comparison of its cells. `baseline`: as
// compare() of experiments/sweep/comparison.h takes it.
int show_sweep(const std::filesystem::path& folder, bool json, const std::string& baseline,
               std::ostream& out);

// Takes cells until none is open: what workers of any launcher do, on any machine. 0 also when cells failed:
// that stands in the table.
int work_on_sweep(const std::filesystem::path& folder, std::optional<int> threads);

}  // namespace canvaslab
