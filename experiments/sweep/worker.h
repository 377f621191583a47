// Takes cells of a sweep and runs them, one after the other, in this process.
#pragma once

#include <optional>
#include <vector>

#include "experiments/model_library.h"
#include "experiments/output_folder.h"
#include "experiments/sweep/stored_sweep.h"

namespace canvaslab {

class Worker {
 public:
  // `threads`: what a cell gets whose configuration leaves it open; null: one per core.
  explicit Worker(const StoredSweep& sweep, std::optional<int> threads = std::nullopt);

  // Takes one open cell, preferably one whose model is loaded, and runs it. A cell that fails is noted as
  // failed, and stops the sweep where its policy says so. False when no cell is open. Interrupted when a
  // signal came: the cell is given back then. Error when the cell's folder cannot be written.
  bool run_one();

 private:
  bool try_cells(bool of_loaded_model);
  bool run(const PlannedCell& planned, const CellFolder& folder, Claim& claim);
  bool sample(const StoredRun& stored, const PlannedCell& planned, const CellFolder& folder, Claim& claim);

  const StoredSweep& sweep_;
  int session_;
  std::optional<int> threads_;
  ModelLibrary models_;
  int loaded_ = -1;         // PlannedCell::model of the last cell
  std::vector<bool> done_;  // of cells that never need a look again in this session
};

}  // namespace canvaslab
