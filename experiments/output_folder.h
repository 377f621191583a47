// The folder of a run: laid out as Hydra does, and enough by itself to run it again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/config/compose.h"

namespace canvaslab {

// Makes the folder that hydra.run.dir names. A name made of the time gets "-2", "-3" ... appended when
// another run has it; any other name that a run has is refused (ConfigurationError), and that run is left
// alone. Writes .hydra/config.yaml (as composed), .hydra/hydra.yaml, .hydra/overrides.yaml and resolved.yaml
// (as it takes effect), and lets messages go to the log there, <hydra.job.name>.log, as well.
std::filesystem::path make_output_folder(const config::Composition& composition,
                                         const config::Node& effective,
                                         const std::vector<std::string>& overrides);

// Whether a folder is a sweep's, completely planned or not.
inline bool is_sweep(const std::filesystem::path& folder) {
  return std::filesystem::is_directory(folder / ".sweep");
}

// `hydra.run.dir`, `hydra.sweep.dir` and the like, interpolations replaced. `setting` is the part behind
// "hydra.".
struct NamedFolder {
  std::filesystem::path path;
  bool names_time = false;  // it holds ${now:...}: meant to be fresh, not chosen
};
NamedFolder named_folder(const config::Composition& composition, const char* setting);

// The files that say how a run was composed, in folder/.hydra/, which must not be there yet: creating it
// decides between two processes. False when it is.
bool write_composition(const std::filesystem::path& folder, const config::Composition& composition,
                       const std::vector<std::string>& overrides);

// The same files into a folder that exists, replacing what is there.
void write_composition_files(const std::filesystem::path& folder, const config::Composition& composition,
                             const std::vector<std::string>& overrides);

// Whether these files are in folder/.hydra/, each with something in it.
bool holds_composition(const std::filesystem::path& folder);

void write_resolved(const std::filesystem::path& folder, const config::Node& effective);

// What write_composition wrote. ConfigurationError when the folder holds no run.
struct StoredRun {
  config::Composition composition;
  std::vector<std::string> overrides;
};
StoredRun read_output_folder(const std::filesystem::path& folder);

// Where the messages of a run go: FOLDER/<hydra.job.name>.log.
struct LogPlace {
  std::filesystem::path file;
  std::string name;
};
LogPlace log_place(const std::filesystem::path& folder, const config::Composition& composition);

// Before a stored run goes on: messages are added to its log again, and its relative paths count from the
// folder that it was started in.
void take_up(const StoredRun& run, const std::filesystem::path& folder);

}  // namespace canvaslab
