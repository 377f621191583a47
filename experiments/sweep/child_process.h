// Programs that this one starts.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace canvaslab {

// Starts a program (words[0], looked up in PATH) that gets SIGTERM when this thread ends, however that
// happens. Its standard output goes to stderr. Error when it cannot be started.
pid_t start_child(const std::vector<std::string>& words);

// "ended with status 1", "was ended by signal 9 (Killed)": what waitpid() said.
std::string how_it_ended(int wait_status);

// Runs a program to its end.
struct Finished {
  int status = 0;              // exit status; 127 when there is no such program; 128 + signal
  std::string output, errors;  // what it wrote to stdout and to stderr
};
Finished run_child(const std::vector<std::string>& words);

}  // namespace canvaslab
