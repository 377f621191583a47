// Planning: every cell is composed and checked, and gets its folder, before any of them runs.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <map>

#include "core/config/yaml.h"
#include "core/error.h"
#include "experiments/output_folder.h"
#include "experiments/sweep/cell_errors.h"
#include "experiments/sweep/created_paths.h"
#include "experiments/sweep/hydra_option.h"
#include "experiments/sweep/parts_check.h"
#include "experiments/sweep/stored_sweep.h"
#include "models/checkpoint/atomic_file.h"

namespace canvaslab {
namespace fs = std::filesystem;
namespace {

// Makes the sweep's folder; creating `.sweep` in it decides between two processes. A run looks for that, so
// the look for a run comes after it.
fs::path create_folder(const config::Composition& composition, CreatedPaths& created) {
  const NamedFolder wanted = named_folder(composition, "sweep.dir");
  for (int attempt = 1; attempt < 1000; ++attempt) {
    const fs::path folder =
        attempt == 1 ? wanted.path : fs::path(fmt::format("{}-{}", wanted.path.string(), attempt));
    created.make_folders(folder);
    const bool fresh = created.make_own_folder(folder / ".sweep"), has_run = fs::exists(folder / ".hydra");
    if (fresh && !has_run) return fs::absolute(folder);
    created.take_back();
    if (!wanted.names_time && has_run) {
      throw ConfigurationError(
          fmt::format("{} holds a run already; choose another hydra.sweep.dir", folder.string()));
    }
    if (!wanted.names_time) {
      throw ConfigurationError(
          fmt::format("{} holds a sweep already. Choose another hydra.sweep.dir, or finish that one: "
                      "canvaslab run --resume {}",
                      folder.string(), folder.string()));
    }
  }
  throw ConfigurationError(
      fmt::format("{}: a thousand sweeps have this folder already", wanted.path.string()));
}

void write_multirun(const fs::path& folder, const config::Composition& composition, CreatedPaths& created) {
  created.expect_file(folder / "multirun.yaml");
  config::Node all = config::Node::map();
  all.set("hydra", composition.hydra);
  for (const config::Entry& entry : composition.config.entries()) all.set(entry.key, entry.value);
  AtomicFile file(folder / "multirun.yaml");
  file.write(config::to_yaml(all));
  file.commit();
}

// Makes everything that was written durable at once.
void synchronize_file_system(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::syncfs(descriptor);
  ::close(descriptor);
}

// FNV-1a of the configuration's text.
std::string digest_of(const config::Composition& composition) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : config::to_yaml(composition.config))
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

void check_folder(const PlannedCell& cell, std::map<std::string, int>& known) {
  const fs::path path = fs::path(cell.folder).lexically_normal();
  if (path.empty() || path.is_absolute() || path == "." || *path.begin() == "..") {
    throw ConfigurationError(
        fmt::format("hydra.sweep.subdir: '{}' is no folder below the sweep's", cell.folder));
  }
  const auto [same, fresh] = known.emplace(path.string(), cell.number);
  if (!fresh) {
    throw ConfigurationError(
        fmt::format("hydra.sweep.subdir: cells {} and {} would share the folder '{}'; "
                    "${{hydra.job.num}} tells them apart",
                    same->second, cell.number, cell.folder));
  }
}

}  // namespace

StoredSweep StoredSweep::plan(const ConfigLocation& location, const std::vector<std::string>& overrides) {
  const config::SweepPlan plan = config::plan_sweep({.config_folders = config_folders(location),
                                                     .config_name = location.name,
                                                     .overrides = overrides,
                                                     .multirun = true,
                                                     .job_number = {}});
  const std::vector<std::vector<std::string>> cells = chosen_sweeper(plan.composition.hydra)->cells(plan);
  StoredSweep sweep{fs::path()};
  for (const fs::path& folder : config_folders(location))
    sweep.config_folders_.push_back(fs::absolute(folder));
  sweep.config_name_ = location.name;
  sweep.working_folder_ = fs::current_path();
  for (const std::string& word : plan.request.overrides)
    (names_launcher(word) ? sweep.launcher_words_ : sweep.words_).push_back(word);
  sweep.set_launcher(option_node(plan.composition.hydra, "launcher"));
  CreatedPaths created;
  try {
    sweep.folder_ = create_folder(plan.composition, created);
    sweep.add_cells(plan, cells, created);
    write_multirun(sweep.folder_, plan.composition, created);
    synchronize_file_system(sweep.folder_);
    sweep.write_plan();
  } catch (const std::exception&) {
    created.take_back();
    throw;
  }
  return sweep;
}

void StoredSweep::restore(const PlannedCell& planned) const {
  std::vector<std::string> words = words_;
  words.insert(words.end(), launcher_words_.begin(), launcher_words_.end());
  words.insert(words.end(), planned.overrides.begin(), planned.overrides.end());
  config::Composition composition = config::compose_all({.config_folders = config_folders_,
                                                         .config_name = config_name_,
                                                         .overrides = words,
                                                         .multirun = false,
                                                         .job_number = planned.number});
  const fs::path folder = folder_ / planned.folder;
  if (digest_of(composition) != planned.digest) {
    throw ConfigurationError(
        fmt::format("{} was deleted, and the configuration files have changed since the cell was planned",
                    folder.string()));
  }
  composition.hydra.find("runtime")->set("output_dir", config::Node(folder.string()));
  fs::create_directories(folder / ".hydra");
  write_composition_files(folder / ".hydra", composition, planned.overrides);
}

struct StoredSweep::Seen {
  std::map<std::string, int> models, folders;  // of the cells so far, each with its number
  PartsCheck parts;
  CreatedPaths& created;
};

void StoredSweep::add_cells(const config::SweepPlan& plan, const std::vector<std::vector<std::string>>& cells,
                            CreatedPaths& created) {
  Seen seen{.models = {}, .folders = {}, .parts = {}, .created = created};
  CellErrors errors;
  bool more = true;
  for (size_t i = 0; more && i < cells.size(); ++i) {
    const auto number = static_cast<int>(i);
    std::vector<std::string> complaints;
    try {
      complaints = add_cell(plan, number, cells[i], seen);
    } catch (const ConfigurationError& error) {
      complaints.emplace_back(error.what());
    }
    for (const std::string& complaint : complaints) more = more && errors.add(number, cells[i], complaint);
  }
  errors.throw_if_any();
}

std::vector<std::string> StoredSweep::add_cell(const config::SweepPlan& plan, int number,
                                               const std::vector<std::string>& words, Seen& seen) {
  config::Composition composition = config::compose_all(plan.job(words, number));
  PlannedCell cell{.number = number,
                   .folder = named_folder(composition, "sweep.subdir").path,
                   .overrides = words,
                   .seed = 0,
                   .model = 0,
                   .digest = digest_of(composition)};
  check_folder(cell, seen.folders);
  composition.hydra.find("runtime")->set("output_dir", config::Node((folder_ / cell.folder).string()));
  const Session session(std::move(composition));
  std::vector<std::string> complaints = seen.parts.complaints(session);
  if (!complaints.empty()) return complaints;
  cell.seed = session.config().seed;
  cell.model = seen.models.emplace(session.model_name(), static_cast<int>(seen.models.size())).first->second;
  const fs::path folder = folder_ / cell.folder;
  seen.created.make_folders(folder);
  if (!seen.created.make_own_folder(folder / ".hydra"))
    throw ConfigurationError(fmt::format("{} holds a run already", folder.string()));
  write_composition_files(folder / ".hydra", session.composition(), words);
  cells_.push_back(cell);
  return {};
}

}  // namespace canvaslab
