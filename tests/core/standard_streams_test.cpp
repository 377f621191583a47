// A program that is started with closed standard streams must not write its messages into files that it
// opens.
#include "core/standard_streams.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "tests/core/trace/child_process.h"
#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

TEST(StandardStreams, AFileThatIsOpenedLaterIsNotTakenForAClosedStream) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "file";
  const pid_t child = trace_test::start_child([&] {
    for (const int stream : {0, 1, 2}) ::close(stream);
    open_standard_streams();
    const int opened = ::open(file.c_str(), O_RDWR | O_CREAT, 0666);
    tell("a message\n");
    return opened > STDERR_FILENO ? 0 : 1;
  });
  EXPECT_EQ(trace_test::wait_for(child), 0);
  EXPECT_EQ(std::filesystem::file_size(file), 0U);
}

TEST(StandardStreams, AMessageThatCannotBeWrittenEndsNothing) {
  const pid_t child = trace_test::start_child([] {
    ::dup2(::open("/dev/full", O_WRONLY), STDERR_FILENO);
    tell("a message\n");
    return 7;
  });
  EXPECT_EQ(trace_test::wait_for(child), 7);
}

TEST(StandardStreams, MessagesGoToTheLogAndDisplaysDoNot) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "job.log";
  const pid_t child = trace_test::start_child([&] {
    ::dup2(::open("/dev/null", O_WRONLY), STDERR_FILENO);
    tell("before\n");
    log_messages_to(file, "job");
    tell("two\nlines\n");
    draw("\x1b[2F a display\n");
    tell("warning: careful\n");
    tell("error: wrong\n");
    return 0;
  });
  EXPECT_EQ(trace_test::wait_for(child), 0);
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  const char* levels[] = {"INFO\\] - two", "INFO\\] - lines", "WARNING\\] - warning: careful",
                          "ERROR\\] - error: wrong"};
  ASSERT_EQ(lines.size(), std::size(levels));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::regex shape(std::string(R"(\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\]\[job\]\[)") + levels[i]);
    EXPECT_TRUE(std::regex_match(lines[i], shape)) << lines[i];
  }
}

// A cell's messages inside the log of its sweep.
TEST(StandardStreams, AScopedLogTakesMessagesUntilItsEnd) {
  const TemporaryFolder folder;
  const pid_t child = trace_test::start_child([&] {
    ::dup2(::open((folder / "shown").c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
    log_messages_to(folder / "sweep.log", "sweep");
    {
      const LogScope scope(folder / "cell.log", "cell");
      tell("inner\n");
    }
    note("outer\n");
    return 0;
  });
  EXPECT_EQ(trace_test::wait_for(child), 0);
  const auto text = [&](const char* name) {
    std::ifstream in(folder / name);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_EQ(text("shown"), "inner\n");
  EXPECT_EQ(text("cell.log").substr(25), "[cell][INFO] - inner\n");
  EXPECT_EQ(text("sweep.log").substr(25), "[sweep][INFO] - outer\n");
}

}  // namespace
}  // namespace canvaslab
