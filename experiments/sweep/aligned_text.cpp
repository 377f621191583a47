#include "experiments/sweep/aligned_text.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>

namespace canvaslab {

void print_aligned(const std::vector<std::vector<std::string>>& lines, const std::set<std::size_t>& left,
                   std::ostream& out) {
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  for (const auto& line : lines) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
      text += left.contains(i) ? fmt::format("  {:<{}}", line[i], widths[i])
                               : fmt::format("  {:>{}}", line[i], widths[i]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    fmt::print(out, "{}\n", text);
  }
}

}  // namespace canvaslab
