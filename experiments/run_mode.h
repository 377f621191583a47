// One job or a sweep: what -m and hydra.mode say together.
#pragma once

#include <string>

#include "experiments/configuration_flags.h"

namespace canvaslab {

// hydra.mode as configuration and words have it: "RUN" or "MULTIRUN"; "" when they say nothing, or cannot be
// composed (who runs the job tells why). ConfigurationError for another value.
std::string configured_mode(const ConfigurationFlags& flags);

// As Hydra decides: -m or hydra.mode=MULTIRUN ask for a sweep. Warns when -m overrules hydra.mode=RUN.
bool asks_for_sweep(const ConfigurationFlags& flags, const std::string& configured_mode);

}  // namespace canvaslab
