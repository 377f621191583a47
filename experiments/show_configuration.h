// What a Hydra application prints about its configuration: --cfg, --info and --help. Layouts are Hydra's.
#pragma once

#include <ostream>
#include <string>

#include "core/config/compose.h"

namespace canvaslab {

// Composes, and tells of warnings.
config::Composition composed(const config::ComposeRequest& request);

// The job's configuration ("job"), hydra's own ("hydra") or both ("all"); with `package`, only the node at
// that dotted path. ConfigurationError when there is no such node.
void show_cfg(const config::Composition& composition, const std::string& which, const std::string& package,
              bool resolve, std::ostream& out);

// "defaults": the files that were merged, in order; "defaults-tree": which named which; "searchpath": the
// folders; "config" and "all": all of that, and the job's configuration.
void show_info(const config::ComposeRequest& request, const std::string& topic, std::ostream& out);

// The flags; every group with its options and the line that describes each in its file; the job's
// configuration. `hydra`: hydra's own groups instead, and no configuration.
void show_help(const config::ComposeRequest& request, const std::string& flags_help, bool hydra, bool resolve,
               std::ostream& out);

}  // namespace canvaslab
