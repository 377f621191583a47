// `canvaslab train`: trains a model on a task, validates by sampling, and keeps the best checkpoint.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "experiments/config_location.h"

namespace canvaslab {

int train(const ConfigLocation& location, const std::vector<std::string>& overrides, std::ostream& out);

// Goes on with the training in `folder` from its last saved step: the final weights are bit for bit those of
// a training that nothing interrupted, on the same number of threads. `words` are refused: it keeps its
// configuration.
int resume_training(const std::filesystem::path& folder, const std::vector<std::string>& words,
                    std::ostream& out);

}  // namespace canvaslab
