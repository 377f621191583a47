// Composes a configuration as Hydra does: the primary file, everything its defaults list names, and the
// command line.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/config/defaults.h"
#include "core/config/value.h"

namespace canvaslab::config {

struct ComposeRequest {
  std::vector<std::filesystem::path> config_folders;  // searched in order
  std::string config_name = "config";
  std::vector<std::string> overrides;  // command-line words
};

struct Composition {
  Node config;  // the job's configuration, interpolations kept as text
  Node hydra;   // the hydra node: settings, runtime.choices, overrides.task, job.override_dirname ...
  std::vector<DefaultsRow> defaults;  // the files that were merged, in order
  std::vector<std::string> warnings;
};

// ConfigurationError: anything wrong with files, choices or words; errors of several words are reported
// together.
Composition compose_all(const ComposeRequest& request);

// The job's configuration alone.
Node compose(const ComposeRequest& request);

}  // namespace canvaslab::config
