// What a training has left in its folder so far, for those who look at it: while it runs, after it was
// killed, or when it is done.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/config/value.h"
#include "core/trace/column_file.h"

namespace canvaslab {

struct TrainingRecord {
  std::filesystem::path folder;
  config::Node configuration;         // as it took effect
  std::vector<NumberColumn> columns;  // of metrics.h5, as of the last save; empty before the first

  // ConfigurationError when the folder holds no training, with what it holds instead; Error when a file
  // cannot be read.
  static TrainingRecord read(const std::filesystem::path& folder);

  // The values of a column; none when there is no such column.
  const std::vector<double>& column(const std::string& name) const;

  // A column over the updates: "training/loss" or "validation/quality" over the step column of its group.
  std::vector<std::pair<double, double>> curve(const std::string& name) const;

  std::int64_t updates() const;  // made so far
  std::int64_t planned() const;  // updates of the whole training

  // A part of the configuration in a line: "sudoku side=4 givens=[0,8]". What is not set is left out.
  std::string in_words(const std::string& part) const;
};

}  // namespace canvaslab
