#include "experiments/sweep/process_identity.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace canvaslab {
namespace {

std::string machine() {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  std::error_code none;
  return boot + " " + std::filesystem::read_symlink("/proc/self/ns/pid", none).string();
}

// The 22nd field of /proc/N/stat, or 0 when there is no such process or it is a zombie. The second field, the
// program's name, may hold blanks and brackets.
std::uint64_t start_of(std::int64_t process) {
  std::string line;
  std::getline(std::ifstream(fmt::format("/proc/{}/stat", process)), line);
  const size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(line.substr(name_end + 1));
  std::string state, skipped;
  fields >> state;
  if (state == "Z" || state == "X") return 0;
  for (int field = 4; field < 22; ++field) fields >> skipped;
  std::uint64_t start = 0;
  fields >> start;
  return start;
}

}  // namespace

ProcessIdentity this_process() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return {host.data(), machine(), getpid(), start_of(getpid())};
}

bool known_dead(const ProcessIdentity& process) {
  return process.machine == machine() && start_of(process.process) != process.start;
}

bool known_alive(const ProcessIdentity& process) {
  return process.machine == machine() && start_of(process.process) == process.start;
}

}  // namespace canvaslab
