// Prints a composed configuration.
#include "experiments/compose.h"

#include "core/config/compose.h"
#include "core/config/interpolate.h"
#include "core/config/yaml.h"
#include "core/standard_streams.h"

namespace canvaslab {

int compose_command(const std::filesystem::path& config_folder, const std::string& config_name, bool resolve,
                    const std::vector<std::string>& overrides, std::ostream& out) {
  config::Composition composition = config::compose_all(
      {.config_folders = {config_folder}, .config_name = config_name, .overrides = overrides});
  for (const std::string& warning : composition.warnings) tell("warning: " + warning + "\n");
  if (resolve)
    composition.config =
        config::resolve(composition.config, {.hydra = &composition.hydra, .refuse_mandatory = true});
  out << config::to_yaml(composition.config);
  return 0;
}

}  // namespace canvaslab
