// A sweep on the disk: planned once, run by any number of processes.
//
// SWEEP/multirun.yaml         hydra's own settings
// SWEEP/.sweep/plan.json      the cells; written last: a sweep is planned exactly if it is there
// SWEEP/.sweep/launcher.yaml  how it is run, and the words that chose that; a later session may change it
// SWEEP/.sweep/sessions/      claims: who runs the sweep; the number of the last one is the session
// SWEEP/.sweep/stop-2         in session 2 a cell failed and no further one is to be started
// SWEEP/.sweep/worker-HOST-7.log  what process 7 of a machine told while it worked on cells
// SWEEP/canvaslab.log         what was told by those who ran the sweep, and what became of each cell
// SWEEP/0/, SWEEP/1/ ...      the cells (experiments/sweep/cell.h)
// SWEEP/sweep.sqlite          the table (experiments/sweep/sweep_table.h)
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/config/sweep.h"
#include "experiments/session.h"
#include "experiments/sweep/cell.h"
#include "experiments/sweep/launcher.h"

namespace canvaslab {

class CreatedPaths;

struct PlannedCell {
  int number = 0;
  std::string folder;                  // below the sweep's
  std::vector<std::string> overrides;  // as words
  std::uint64_t seed = 0;
  int model = 0;       // cells with the same number name the same model
  std::string digest;  // of the configuration as composed
};

class StoredSweep {
 public:
  // Plans a sweep in the folder that hydra.sweep.dir names: composes and checks every cell, and the model and
  // the files that it names. ConfigurationError when a cell is wrong or the folder holds a sweep or a run;
  // what was made for it is removed then.
  static StoredSweep plan(const ConfigLocation& location, const std::vector<std::string>& overrides);

  // ConfigurationError when the folder holds no sweep.
  static StoredSweep open(const std::filesystem::path& folder);

  const std::filesystem::path& folder() const { return folder_; }
  const std::vector<PlannedCell>& cells() const { return cells_; }
  const Launcher& launcher() const { return *launcher_; }

  CellFolder cell(const PlannedCell& planned) const;

  // Composes a cell anew and writes its .hydra/, which somebody deleted. ConfigurationError when that gives
  // another configuration than was planned: the configuration files have changed.
  void restore(const PlannedCell& planned) const;

  // Lets messages go to SWEEP/canvaslab.log, or to a log of this worker's own, as well.
  void open_log() const;
  void open_worker_log() const;

  // Another launcher, or other settings of the one that was chosen last, for the next session: nothing is
  // written until that begins. ConfigurationError for words that are not hydra/launcher=... or
  // hydra.launcher....
  void choose_launcher(const std::vector<std::string>& words);

  // Goes to the folder that the sweep was planned in, which its relative paths count from.
  void enter_working_folder() const;

  // Becomes the one process that runs the sweep, with the launcher that it has here. ConfigurationError, and
  // nothing changes, when another one does.
  Claim begin_session() const;
  int session() const;  // of the process that runs it, or ran it last

  // Where the launcher's policy says so, keeps further cells from being started in this session.
  void stop_after_failure() const;
  bool stopped() const;

 private:
  explicit StoredSweep(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void add_cells(const config::SweepPlan& plan, const std::vector<std::vector<std::string>>& cells,
                 CreatedPaths& created);
  struct Seen;  // models and folders of the cells so far
  // What is wrong with the cell, when that is not thrown; it is left out then.
  std::vector<std::string> add_cell(const config::SweepPlan& plan, int number,
                                    const std::vector<std::string>& words, Seen& seen);
  void write_plan() const;
  void read_launcher();
  void write_launcher() const;
  void set_launcher(const config::Node& node);
  std::filesystem::path own(const std::string& name) const { return folder_ / ".sweep" / name; }
  ClaimFolder sessions(double stale_after) const;

  std::filesystem::path folder_;
  std::vector<std::filesystem::path> config_folders_;
  std::string config_name_;
  std::filesystem::path working_folder_;
  std::vector<std::string> words_;           // that set hydra's own values
  std::vector<std::string> launcher_words_;  // that choose the launcher, not among words_
  std::vector<PlannedCell> cells_;
  config::Node launcher_node_;
  std::unique_ptr<Launcher> launcher_;
  std::optional<double> stale_after_before_;  // of the launcher that choose_launcher() replaced
};

// Whether a word of the command line chooses the launcher or sets one of its values.
bool names_launcher(const std::string& word);

}  // namespace canvaslab
