// The program as a process, for tests of sweeps.
#pragma once

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/temporary_folder.h"

namespace canvaslab {

inline std::string text_of(const std::filesystem::path& file) {
  std::ostringstream all;
  all << std::ifstream(file).rdbuf();
  return all.str();
}

// A process of the program, its streams in files of a folder. Killed when the test forgets it.
class Program {
 public:
  Program(const std::filesystem::path& folder, std::vector<std::string> words) : folder_(folder) {
    words.insert(words.begin(), CANVASLAB_BUILD_DIR "/canvaslab");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    process_ = fork();
    if (process_ != 0) return;
    if (std::freopen((folder / "out").c_str(), "w", stdout) == nullptr ||
        std::freopen((folder / "messages").c_str(), "w", stderr) == nullptr || chdir(folder.c_str()) != 0)
      _exit(126);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (process_ == 0) return;
    kill(process_, SIGKILL);
    wait();
  }

  // Exit status; minus the signal that ended it. A process that takes longer than `seconds` gets SIGKILL.
  int wait(double seconds = 300) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    int status = 0;
    while (waitpid(process_, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > until) kill(process_, SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    process_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  bool running() const { return waitpid(process_, nullptr, WNOHANG) == 0; }
  void send(int signal) const { kill(process_, signal); }
  std::string out() const { return text_of(folder_ / "out"); }
  std::string messages() const { return text_of(folder_ / "messages"); }

 private:
  std::filesystem::path folder_;
  pid_t process_ = 0;
};

// Whether a condition holds within `seconds`.
inline bool soon(const std::function<bool()>& condition, double seconds = 60) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace canvaslab
