// Stopping when asked to: SIGINT and SIGTERM become a flag that long work looks at, so that what was done is
// kept and the message can say how to go on.
#pragma once

#include "core/error.h"

namespace canvaslab {

// Thrown when work stopped because a signal asked for it. Exit status 128 + the signal: 130 or 143.
class Interrupted : public Error {
 public:
  Interrupted(int by_signal, const std::string& message) : Error(message), signal(by_signal) {}
  int signal;
};

// From now on the first SIGINT or SIGTERM only sets the flag; a second one ends the process.
void watch_for_interruption();

// The signal that came, or 0.
int interruption();

// "SIGINT" or "SIGTERM".
const char* signal_name(int signal);

}  // namespace canvaslab
