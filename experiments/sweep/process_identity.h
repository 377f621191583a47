// Who a process is, in words that another process, perhaps on another machine, can check.
#pragma once

#include <cstdint>
#include <string>

namespace canvaslab {

struct ProcessIdentity {
  std::string host;     // the machine's name, for people
  std::string machine;  // the boot and the process namespace: where `process` means something
  std::int64_t process = 0;
  std::uint64_t start = 0;  // when it started, in the kernel's clock ticks: process numbers are used again

  bool operator==(const ProcessIdentity&) const = default;
};

ProcessIdentity this_process();

// Whether the process is known to have ended. False when it runs, and when it belongs to another machine.
bool known_dead(const ProcessIdentity& process);

// Whether the process is known to run: it belongs to this machine, and is there.
bool known_alive(const ProcessIdentity& process);

}  // namespace canvaslab
