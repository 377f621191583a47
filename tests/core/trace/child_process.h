// Processes that a test forks and kills.
#pragma once

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <utility>

namespace canvaslab::trace_test {

// Runs `body` in a forked process, whose exit status is what body returns. The parent must be
// single-threaded.
template <class Body>
pid_t start_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) std::exit(body());
  return child;
}

// The exit status; -1 if a signal ended the process.
inline int wait_for(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

inline void kill_child(pid_t child) {
  ::kill(child, SIGKILL);
  wait_for(child);
}

// Seconds on a clock that all processes share.
inline double shared_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace canvaslab::trace_test
