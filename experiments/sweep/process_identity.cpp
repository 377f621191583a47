#include "experiments/sweep/process_identity.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

namespace canvaslab {
namespace {

std::string target_of(const char* link) {
  std::error_code none;
  return std::filesystem::read_symlink(link, none).string();
}

std::string machine() {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  const std::string processes = target_of("/proc/self/ns/pid");
  return boot.empty() || processes.empty() ? "" : fmt::format("{} {}", boot, processes);
}

std::string host() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

// A container may show the /proc of another namespace, whose numbers mean other processes.
bool proc_is_ours() {
  return target_of("/proc/self") == std::to_string(getpid());
}

// The 22nd field of /proc/N/stat; 0 for a zombie, nothing when it cannot be read. The second field, the
// program's name, may hold blanks and brackets.
std::optional<std::uint64_t> start_of(std::int64_t process) {
  std::string line;
  if (proc_is_ours()) std::getline(std::ifstream(fmt::format("/proc/{}/stat", process)), line);
  const size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(line.substr(name_end + 1));
  std::string state, skipped;
  fields >> state;
  if (state == "Z" || state == "X") return 0;
  for (int field = 4; field < 22; ++field) fields >> skipped;
  std::uint64_t start = 0;
  fields >> start;
  return start;
}

enum class Life { kUnknown, kAlive, kDead };

// Machines that were started from one memory image share a boot; their names differ.
Life life_of(const ProcessIdentity& process) {
  if (process.process <= 0 || process.machine.empty() || process.machine != machine() ||
      process.host != host())
    return Life::kUnknown;
  if (kill(static_cast<pid_t>(process.process), 0) != 0 && errno == ESRCH) return Life::kDead;
  const std::optional<std::uint64_t> start = start_of(process.process);
  if (!start || process.start == 0) return Life::kUnknown;  // it is there, or another one of its number
  return *start == process.start ? Life::kAlive : Life::kDead;
}

}  // namespace

ProcessIdentity this_process() {
  return {host(), machine(), getpid(), start_of(getpid()).value_or(0)};
}

bool known_dead(const ProcessIdentity& process) {
  return life_of(process) == Life::kDead;
}

bool known_alive(const ProcessIdentity& process) {
  return life_of(process) == Life::kAlive;
}

}  // namespace canvaslab
