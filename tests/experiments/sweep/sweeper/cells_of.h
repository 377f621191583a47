// The cells that a sweeper makes of words, over a small configuration.
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "core/config/override.h"
#include "experiments/sweep/sweeper.h"
#include "tests/options.h"
#include "tests/temporary_folder.h"

namespace canvaslab {

using CellWords = std::vector<std::vector<std::string>>;

inline CellWords cells_of(const std::string& sweeper, const std::vector<std::string>& words) {
  const TemporaryFolder folder;
  std::ofstream(folder / "config.yaml") << "a: 0\nb: 0\nc: 0\n";
  const config::SweepPlan plan = config::plan_sweep({.config_folders = {folder.path()},
                                                     .config_name = "config",
                                                     .overrides = words,
                                                     .multirun = true,
                                                     .job_number = {}});
  return build<Sweeper>(sweeper)->cells(plan);
}

// The value that a cell gives key number `key`, as a number.
inline double number_in(const std::vector<std::string>& cell, size_t key) {
  return std::stod(cell[key].substr(cell[key].find('=') + 1));
}

}  // namespace canvaslab
