// An HDF5 file of plain columns of numbers: the log of a training, the rows of a table.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace canvaslab {

struct NumberColumn {
  std::string name;  // "group/name"; groups are made as needed
  std::string unit, description;
  std::vector<double> values;
};

// Writes the file to a temporary name that is renamed into place. Error when the system refuses.
void write_columns(const std::filesystem::path& file, const std::vector<NumberColumn>& columns);

// All columns of such a file, sorted by name. Error when it cannot be read or holds anything else.
std::vector<NumberColumn> read_columns(const std::filesystem::path& file);

}  // namespace canvaslab
