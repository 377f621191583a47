// The finished cells of a sweep whose samples are not graded, side by side: what was swept, cost, and every
// measure with its interval.
#pragma once

#include <ostream>
#include <vector>

#include "experiments/sweep/sweep_table.h"

namespace canvaslab {

// Aligned text, one line a cell. Nothing when no cell has measures.
void print_measures(const std::vector<TableRow>& rows, std::ostream& out);

}  // namespace canvaslab
