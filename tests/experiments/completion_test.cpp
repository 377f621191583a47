// Completion in real shells: each test types into an interactive bash or zsh, presses the tab key, and reads
// what the shell made of the line.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

// A program in a terminal of its own.
class Terminal {
 public:
  explicit Terminal(const std::vector<std::string>& command) {
    const winsize size{.ws_row = 50, .ws_col = 200, .ws_xpixel = 0, .ws_ypixel = 0};
    process_ = forkpty(&terminal_, nullptr, nullptr, &size);
    if (process_ != 0) return;
    setenv("TERM", "dumb", 1);
    setenv("INPUTRC", "/dev/null", 1);
    setenv("PATH", fmt::format("{}:{}", CANVASLAB_BUILD_DIR, std::getenv("PATH")).c_str(), 1);
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execvp(words[0], words.data());
    _exit(127);
  }
  ~Terminal() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    close(terminal_);
  }

  void type(const std::string& text) {
    ASSERT_EQ(write(terminal_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  // What appears until `end` does, or ten seconds have passed.
  std::string read_until(const std::string& end) {
    std::string seen;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    std::array<char, 4096> buffer{};
    while (seen.find(end) == std::string::npos && std::chrono::steady_clock::now() < deadline) {
      pollfd ready{terminal_, POLLIN, 0};
      if (poll(&ready, 1, 200) <= 0) continue;
      const ssize_t count = read(terminal_, buffer.data(), buffer.size());
      if (count <= 0) break;
      seen.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return seen;
  }

 private:
  int terminal_ = -1;
  pid_t process_ = -1;
};

class Completion : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (std::system(fmt::format("command -v {} >/dev/null", GetParam()).c_str()) != 0)
      GTEST_SKIP() << GetParam() << " is not installed";
    const bool is_bash = GetParam() == "bash";
    std::vector<std::string> command{"bash", "--norc", "--noprofile", "-i"};
    if (!is_bash) command = {"zsh", "-f", "-i"};
    terminal_ = std::make_unique<Terminal>(command);
    // The words of a line are noted in a file as the shell passes them on.
    const std::string notes = (folder_ / "words").string();
    std::string setup = fmt::format("cd '{}'; PS1=; unset zle_bracketed_paste; ", folder_.path().string());
    if (!is_bash) setup += "autoload -U compinit; compinit -u -D; unsetopt automenu listambiguous; ";
    setup += fmt::format(
        "eval \"$(canvaslab completion {})\"; note() {{ printf '%s\\n' \"$@\" >'{}'; echo no''ted; }}; echo "
        "rea''dy\n",
        GetParam(), notes);
    terminal_->type(setup);
    ASSERT_THAT(terminal_->read_until("ready"), HasSubstr("ready"));
  }

  // The words of `canvaslab TYPED<tab>`, once the tab key has done its work.
  std::string completed(const std::string& typed) {
    terminal_->type(fmt::format("canvaslab {}\t", typed));
    // To the front of the line; there the program's name becomes `note`'s first word. Keys wait for the
    // completion.
    terminal_->type("\x01note \x05\n");
    const std::string seen = terminal_->read_until("noted\r\n");
    std::ostringstream words;
    words << std::ifstream(folder_ / "words").rdbuf();
    return fmt::format("{}", words.str());
  }

  TemporaryFolder folder_;
  std::unique_ptr<Terminal> terminal_;
};

TEST_P(Completion, CompletesSubCommandsAndFlags) {
  EXPECT_EQ(completed("compo"), "canvaslab\ncompose\n");
  EXPECT_EQ(completed("compose --config-n"), "canvaslab\ncompose\n--config-name\n");
  EXPECT_EQ(completed("compose --cfg hy"), "canvaslab\ncompose\n--cfg\nhydra\n");
  EXPECT_EQ(completed("completion z"), "canvaslab\ncompletion\nzsh\n");
}

TEST_P(Completion, CompletesGroupsAndOptions) {
  EXPECT_EQ(completed("run tempera"), "canvaslab\nrun\ntemperature\n") << "'=' and '.' may both follow";
  EXPECT_EQ(completed("run noise=mas"), "canvaslab\nrun\nnoise=masked\n");
  EXPECT_EQ(completed("run -m noise=masked,uni"), "canvaslab\nrun\n-m\nnoise=masked,uniform\n");
  EXPECT_EQ(completed("run hydra/sweeper=so"), "canvaslab\nrun\nhydra/sweeper=sobol\n");
}

TEST_P(Completion, CompletesKeysOfWhatIsChosen) {
  EXPECT_EQ(completed("run selection.bo"), "canvaslab\nrun\nselection.bound=\n");
  EXPECT_EQ(completed("run selection=probability_threshold selection.thr"),
            "canvaslab\nrun\nselection=probability_threshold\nselection.threshold=\n");
  EXPECT_EQ(completed("run sampler.lock_committed=t"), "canvaslab\nrun\nsampler.lock_committed=true\n");
}

INSTANTIATE_TEST_SUITE_P(Shells, Completion, ::testing::Values("bash", "zsh"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace canvaslab
