#include "experiments/sweep/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "core/error.h"

namespace canvaslab {
namespace {

constexpr int kNoSuchProgram = 127;

// Forks and executes `words`; `prepare` is run in the child and may call what is safe between fork and exec.
template <class Prepare>
pid_t fork_and_execute(const std::vector<std::string>& words, Prepare prepare) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw Error(fmt::format("cannot start {}: {}", words[0], std::strerror(errno)));
  if (child > 0) return child;
  prepare();
  ::execvp(arguments[0], arguments.data());
  ::_exit(kNoSuchProgram);
}

// Reads to the end, and closes.
std::string rest_of(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t count = 1; count != 0;) {
    count = ::read(descriptor, buffer.data(), buffer.size());
    if (count > 0) text.append(buffer.data(), static_cast<size_t>(count));
    if (count < 0 && errno != EINTR) break;
  }
  ::close(descriptor);
  return text;
}

}  // namespace

pid_t start_child(const std::vector<std::string>& words) {
  const pid_t parent = ::getpid();
  return fork_and_execute(words, [parent] {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(1);  // it ended before it could be watched
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
  });
}

std::string how_it_ended(int wait_status) {
  if (WIFEXITED(wait_status)) return fmt::format("ended with status {}", WEXITSTATUS(wait_status));
  const int signal = WTERMSIG(wait_status);
  return fmt::format("was ended by signal {} ({})", signal, ::strsignal(signal));
}

Finished run_child(const std::vector<std::string>& words) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw Error(fmt::format("pipe: {}", std::strerror(errno)));
  // Not a second pipe, which would have to be emptied at the same time.
  const int errors = ::memfd_create("errors", MFD_CLOEXEC);
  const pid_t child = fork_and_execute(words, [&pipe, errors] {
    ::dup2(pipe[1], STDOUT_FILENO);
    ::dup2(errors, STDERR_FILENO);
  });
  ::close(pipe[1]);
  Finished finished;
  finished.output = rest_of(pipe[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ::lseek(errors, 0, SEEK_SET);
  finished.errors = rest_of(errors);
  return finished;
}

}  // namespace canvaslab
