// Composes a configuration as Hydra does: the primary file, everything its defaults list names, and the
// command line.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/config/defaults.h"
#include "core/config/errors.h"
#include "core/config/value.h"

namespace canvaslab::config {

struct ComposeRequest {
  std::vector<std::filesystem::path> config_folders;  // searched in order
  std::string config_name = "config";
  std::vector<std::string> overrides;  // command-line words
  bool multirun = false;  // compose what is common to the jobs of a sweep: swept words are left out
  std::optional<int> job_number = {};  // of a job of a sweep: hydra.job.num and hydra.job.id
};

struct Composition {
  Node config;  // the job's configuration, interpolations kept as text
  Node hydra;   // the hydra node: settings, runtime.choices, overrides.task, job.override_dirname ...
  std::vector<DefaultsRow> defaults;  // the files that were merged, in order
  DefaultsTree tree;                  // which file named which
  std::vector<std::string> warnings;
};

// ConfigurationError: anything wrong with files, choices or words; errors of several words are reported
// together.
Composition compose_all(const ComposeRequest& request);

// The same for a caller that finds errors itself, to report all together: adds what is wrong to `errors` and
// leaves wrong words out. Null when nothing sensible is left to look at.
std::optional<Composition> compose_all(const ComposeRequest& request, Errors& errors);

// The folders of a request, hydra.searchpath included. ConfigurationError when one does not exist.
ConfigFolders open_folders(const ComposeRequest& request, const std::vector<Override>& overrides);

// Parses words; errors of several are reported together.
std::vector<Override> parse_overrides(const std::vector<std::string>& words);

// Whether an override sets hydra's own values or choices.
bool is_hydra_override(const Override& override);

// The job's configuration alone.
Node compose(const ComposeRequest& request);

}  // namespace canvaslab::config
