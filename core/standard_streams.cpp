#include "core/standard_streams.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <utility>

namespace canvaslab {
namespace {

struct Log {
  std::mutex mutex;
  std::ofstream out;
  std::string name;
};

// Never destroyed: messages may come until the very end.
Log& the_log() {
  static auto* log = new Log;
  return *log;
}

const char* level_of(std::string_view line) {
  if (line.starts_with("error:") || line.starts_with("failed:")) return "ERROR";
  return line.starts_with("warning:") ? "WARNING" : "INFO";
}

// Exchanges the log for another one.
void exchange(std::ofstream& out, std::string& name) {
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  std::swap(log.out, out);
  std::swap(log.name, name);
}

}  // namespace

void open_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) == -1) open("/dev/null", O_RDWR);  // takes the lowest free number: this one
  }
}

void note(std::string_view text) {
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  if (!log.out.is_open()) return;
  const auto now = std::chrono::system_clock::now();
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  const std::time_t moment = std::chrono::system_clock::to_time_t(now);
  std::tm local{};
  localtime_r(&moment, &local);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    log.out << fmt::format("[{:%Y-%m-%d %H:%M:%S},{:03}][{}][{}] - {}\n", local, milliseconds, log.name,
                           level_of(line), line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  log.out.flush();
}

void tell(std::string_view text) {
  draw(text);
  note(text);
}

void draw(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void log_messages_to(const std::filesystem::path& file, const std::string& name) {
  std::ofstream out(file, std::ios::app);
  std::string its_name = name;
  exchange(out, its_name);
}

LogScope::LogScope(const std::filesystem::path& file, const std::string& name)
    : earlier_(file, std::ios::app), earlier_name_(name) {
  exchange(earlier_, earlier_name_);
}

LogScope::~LogScope() {
  exchange(earlier_, earlier_name_);
}

}  // namespace canvaslab
