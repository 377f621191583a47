#include "experiments/sweep/created_paths.h"

#include <fmt/format.h>

#include "core/error.h"

namespace canvaslab {
namespace fs = std::filesystem;
namespace {

// Whether it was not there before.
bool create(const fs::path& folder) {
  std::error_code failed;
  const bool fresh = fs::create_directory(folder, failed);
  if (failed)
    throw ConfigurationError(fmt::format("{}: cannot be created: {}", folder.string(), failed.message()));
  return fresh;
}

}  // namespace

void CreatedPaths::make_folders(const fs::path& folder) {
  fs::path whole;
  for (const fs::path& part : folder) {
    whole /= part;
    std::error_code absent;
    if (!fs::is_directory(whole, absent) && create(whole)) all_.push_back({fs::absolute(whole)});
  }
}

bool CreatedPaths::make_own_folder(const fs::path& folder) {
  if (!create(folder)) return false;
  all_.push_back({.path = fs::absolute(folder), .own = true});
  return true;
}

void CreatedPaths::expect_file(const fs::path& file) {
  if (!fs::exists(fs::symlink_status(file))) all_.push_back({fs::absolute(file)});
}

void CreatedPaths::take_back() {
  std::error_code ignored;  // a folder that others use by now stays
  for (; !all_.empty(); all_.pop_back()) {
    const auto& [path, own] = all_.back();
    own ? fs::remove_all(path, ignored) : fs::remove(path, ignored);
  }
}

}  // namespace canvaslab
