// The three standard streams of a program that may be started with some of them closed, or full.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace canvaslab {

// Opens /dev/null in place of every standard stream that is closed: otherwise the next file that the program
// opens would take the stream's number, and messages would be written into it.
void open_standard_streams();

// Writes a message, one line or more, to the standard error stream and to the job's log when there is one. A
// message that cannot be written is lost; it ends nothing.
void tell(std::string_view text);

// Writes a display to the standard error stream alone: frames that replace one another are not for a log.
void draw(std::string_view text);

// Writes a message to the job's log alone.
void note(std::string_view text);

// From now on, messages are appended to this file as well, as lines "[2026-11-30 18:36:01,123][NAME][INFO] -
// TEXT"; the level is WARNING or ERROR for a message that says so. The file is made at once; where it cannot
// be, there is no log.
void log_messages_to(const std::filesystem::path& file, const std::string& name);

// While it lives, messages go to another log; afterwards to the earlier one again.
class LogScope {
 public:
  LogScope(const std::filesystem::path& file, const std::string& name);
  ~LogScope();
  LogScope(const LogScope&) = delete;
  LogScope& operator=(const LogScope&) = delete;

 private:
  std::ofstream earlier_;
  std::string earlier_name_;
};

}  // namespace canvaslab
