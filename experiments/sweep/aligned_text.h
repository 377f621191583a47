// Tables of aligned text.
#pragma once

#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace canvaslab {

// Columns as wide as their widest entry, two spaces apart, to the right but for those in `left`. All lines
// have as many entries as the first.
void print_aligned(const std::vector<std::vector<std::string>>& lines, const std::set<std::size_t>& left,
                   std::ostream& out);

}  // namespace canvaslab
