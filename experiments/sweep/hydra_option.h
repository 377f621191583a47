// The option that is chosen in one of hydra's own groups.
#pragma once

#include <memory>

#include "core/config/value.h"
#include "experiments/sweep/sweeper.h"

namespace canvaslab {

// The node of hydra's group ("launcher", "sweeper"), with the `name` of its option; `_target_` is another
// spelling of that. Without either it is Hydra's own `basic`. ConfigurationError as config::name_targets.
config::Node option_node(const config::Node& hydra, const char* group);

// The sweeper that hydra's node chooses. ConfigurationError when there is none of that name, or its settings
// are wrong.
std::unique_ptr<Sweeper> chosen_sweeper(const config::Node& hydra);

}  // namespace canvaslab
