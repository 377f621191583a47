// Who a process is, in words that another process, perhaps on another machine, can check.
#pragma once

#include <cstdint>
#include <string>

namespace canvaslab {

struct ProcessIdentity {
  std::string host;     // the machine's name, for people
  std::string machine;  // the boot and the process namespace: where `process` means something; "": unknown
  std::int64_t process = 0;
  std::uint64_t start = 0;  // when it started, in the kernel's clock ticks: process numbers are used again;
                            // 0: unknown

  bool operator==(const ProcessIdentity&) const = default;
};

ProcessIdentity this_process();

// Whether the process is known to have ended, or to run. Neither is known of a process of another machine,
// and of one that this process may not look at: of another user, where /proc hides those (hidepid), or where
// /proc is missing or another namespace's.
bool known_dead(const ProcessIdentity& process);
bool known_alive(const ProcessIdentity& process);

}  // namespace canvaslab
