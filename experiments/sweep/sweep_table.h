// A sweep as a table, one row a cell: a function of what lies in the cells' folders, and nothing else.
#pragma once

#include <filesystem>
#include <ostream>
#include <vector>

#include "experiments/sweep/cell.h"
#include "experiments/sweep/stored_sweep.h"

namespace canvaslab {

struct Comparison;

struct TableRow {
  PlannedCell cell;
  CellRecord record;
};

// Reads every cell's folder.
std::vector<TableRow> read_table(const StoredSweep& sweep);

// Writes SWEEP/sweep.sqlite, one table `cells`. The file is written aside and renamed: who
// reads it sees all of one moment, and no lock of SQLite's is ever taken.
void write_sqlite(const StoredSweep& sweep, const std::vector<TableRow>& rows);

void print_text(const std::vector<TableRow>& rows, std::ostream& out);
void print_json(const StoredSweep& sweep, const std::vector<TableRow>& rows, const Comparison& comparison,
                std::ostream& out);

}  // namespace canvaslab
