#include "experiments/interruption.h"

#include <csignal>

namespace canvaslab {
namespace {

volatile std::sig_atomic_t received = 0;

void note(int signal) {
  received = signal;
}

}  // namespace

void watch_for_interruption() {
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = SA_RESETHAND;  // the second one acts as if nobody watched
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int interruption() {
  return received;
}

const char* signal_name(int signal) {
  return signal == SIGINT ? "SIGINT" : "SIGTERM";
}

}  // namespace canvaslab
