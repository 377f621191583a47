#include "core/project.h"

#include <fstream>

#include "core/error.h"

namespace canvaslab {
namespace {

std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// The commit of a reference such as refs/heads/main, loose or packed; "" when there is none.
std::string resolve_reference(const std::filesystem::path& git, const std::string& name) {
  if (const std::string loose = first_line(git / name); !loose.empty()) return loose;
  std::ifstream packed(git / "packed-refs");
  for (std::string line; std::getline(packed, line);) {
    if (line.size() > 41 && line.substr(41) == name) return line.substr(0, 40);
  }
  return "";
}

}  // namespace

std::filesystem::path project_root() {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  for (std::filesystem::path folder = program.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (std::filesystem::exists(folder / "configs" / "config.yaml")) return folder;
  }
  throw ConfigurationError("no folder above " + program.string() +
                           " holds configs/config.yaml; name one with --config-dir");
}

std::string git_commit(const std::filesystem::path& root) {
  const std::filesystem::path git = root / ".git";
  const std::string head = first_line(git / "HEAD");
  if (head.starts_with("ref: ")) {
    const std::string commit = resolve_reference(git, head.substr(5));
    return commit.empty() ? "unknown" : commit;
  }
  return head.size() == 40 ? head : "unknown";
}

}  // namespace canvaslab
