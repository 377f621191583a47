// The flags of a command that works as a Hydra application: where its configuration is, and what to show of
// it instead of running.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "core/config/compose.h"
#include "experiments/config_location.h"

namespace canvaslab {

struct ConfigurationFlags {
  ConfigLocation location;
  std::vector<std::string> overrides;
  std::string cfg, info, package;  // --cfg job|hydra|all, --info TOPIC, --package A.B; "" when not given
  bool resolve = false, help = false, hydra_help = false, run = false, multirun = false;

  config::ComposeRequest request() const { return {config_folders(location), location.name, overrides}; }
};

// Flags that name folders, and the overrides.
void add_location_flags(CLI::App& command, ConfigurationFlags& flags);

// Those, and every flag of a Hydra application. The command's own --help becomes show_configuration's.
void add_configuration_flags(CLI::App& command, ConfigurationFlags& flags);

// The words with Hydra's two-letter flags (-cn, -cd, -cp) written in full.
std::vector<std::string> spelled_out(std::vector<std::string> words);

// Prints what the flags ask to be shown; false when they ask for nothing and the job should run.
// `flags_help`: the command's flags, as text. `resumed`: the folder of a stored job, whose configuration
// --cfg then shows; empty: the configuration that the flags describe. ConfigurationError: flags that exclude
// one another, anything wrong with the configuration, or a folder that holds no job.
bool show_configuration(const ConfigurationFlags& flags, const std::string& flags_help,
                        const std::filesystem::path& resumed, std::ostream& out);

}  // namespace canvaslab
