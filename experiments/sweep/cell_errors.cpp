#include "experiments/sweep/cell_errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"

namespace canvaslab {
namespace {

constexpr size_t kMost = 10;  // a thousand cells may have a thousand different errors

}  // namespace

bool CellErrors::add(int number, const std::vector<std::string>& overrides, const std::string& complaint) {
  const auto same =
      std::find_if(all_.begin(), all_.end(), [&](const Complaint& other) { return other.text == complaint; });
  if (same != all_.end()) {
    ++same->cells;
    return true;
  }
  if (all_.size() == kMost) return false;
  all_.push_back({complaint, fmt::format("cell {}: {}", number, fmt::join(overrides, " ")), 1});
  return true;
}

void CellErrors::throw_if_any() const {
  if (all_.empty()) return;
  std::vector<std::string> lines;
  for (const Complaint& complaint : all_) {
    const std::string more =
        complaint.cells > 1 ? fmt::format("; and {} further cells", complaint.cells - 1) : "";
    lines.push_back(fmt::format("{}\n  in {}{}", complaint.text, complaint.first_cell, more));
  }
  throw ConfigurationError(fmt::format("{}", fmt::join(lines, "\n")));
}

}  // namespace canvaslab
