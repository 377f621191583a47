#include "experiments/tasks/readable_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "core/error.h"
#include "core/nearest.h"

namespace canvaslab {
namespace {

std::string nearest_beside(const std::filesystem::path& file) {
  std::vector<std::string> names;
  std::error_code ignored;
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    names.push_back(entry.path().filename().string());
  return did_you_mean(file.filename().string(), names);
}

}  // namespace

void check_readable(const std::filesystem::path& file, const std::string& what, const std::string& advice) {
  std::error_code ignored;
  const bool readable = ::access(file.c_str(), R_OK) == 0;
  const int reason = readable ? EISDIR : errno;
  if (readable && !std::filesystem::is_directory(file, ignored)) return;
  throw ConfigurationError(fmt::format("{}: {} cannot be read: {}{}", file.string(), what,
                                       std::strerror(reason),
                                       advice.empty() ? nearest_beside(file) : fmt::format("; {}", advice)));
}

}  // namespace canvaslab
