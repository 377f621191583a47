// Configurations made to hurt: each ends in a ConfigurationError within a second of processor time and 100
// MB. A child process composes it, so that what it took is measured and an endless one is ended.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "core/config/interpolate.h"
#include "core/config/sweep.h"
#include "core/config/yaml.h"
#include "core/error.h"
#include "tests/core/config/temporary_folder.h"

namespace canvaslab::config {
namespace {

// Sanitizers make everything slower and larger.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMeasures = false;
#else
constexpr bool kMeasures = true;
#endif

enum Outcome { kRefused = 0, kAccepted = 1, kOther = 2 };

struct Cost {
  int status = -1;
  double seconds = 0;
  double megabytes = 0;
};

Cost cost_of(const std::function<void()>& action) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit seconds{10, 10};
    setrlimit(RLIMIT_CPU, &seconds);
    try {
      action();
      _exit(kAccepted);
    } catch (const ConfigurationError&) {
      _exit(kRefused);
    } catch (...) {
      _exit(kOther);
    }
  }
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
          seconds(used.ru_utime) + seconds(used.ru_stime), static_cast<double>(used.ru_maxrss) / 1024};
}

class Hostile : public ::testing::Test {
 protected:
  void expect_cheap(const std::string& what, const Cost& cost, int status) {
    EXPECT_EQ(cost.status, status) << what;
    if (!kMeasures) return;
    EXPECT_LT(cost.seconds, 1.0) << what;
    EXPECT_LT(cost.megabytes, 100.0) << what;
    RecordProperty(what, fmt::format("{:.2f} s, {:.0f} MB", cost.seconds, cost.megabytes));
  }

  void compose_resolved(const std::vector<std::string>& words) const {
    const Composition composition = compose_all({.config_folders = {folder_.path()}, .overrides = words});
    resolve(composition.config, {.hydra = &composition.hydra});
  }

  void refuses_file(const std::string& what, const std::string& yaml) {
    folder_.write("config.yaml", yaml);
    expect_cheap(what, cost_of([&] { compose_resolved({}); }), kRefused);
  }

  void refuses_words(const std::string& what, const std::vector<std::string>& words) {
    folder_.write("config.yaml", "k: 1\nl: 2\nm: 3\n");
    expect_cheap(what, cost_of([&] { compose_resolved(words); }), kRefused);
  }

  void refuses_sweep(const std::string& what, const std::vector<std::string>& words) {
    folder_.write("config.yaml", "k: 1\nl: 2\nm: 3\n");
    const auto sweep = [&] {
      SweepGrid(plan_sweep({.config_folders = {folder_.path()}, .overrides = words}));
    };
    expect_cheap(what, cost_of(sweep), kRefused);
  }

  TemporaryFolder folder_;
};

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

TEST_F(Hostile, DeepNestingIsRefused) {
  refuses_file("flow lists", "a: " + repeated("[", 400'000));
  refuses_file("flow maps", "a: " + repeated("{a: ", 200'000));
  std::string block;
  for (int i = 0; i < 1'000; ++i) block += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  refuses_file("block maps", block);
  refuses_file("dashes", repeated("- ", 400'000));
}

TEST_F(Hostile, AliasBombsAreRefused) {
  std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i)
    laughs += fmt::format("a{0}: &a{0} [{1}]\n", i,
                          fmt::join(std::vector<std::string>(10, fmt::format("*a{}", i - 1)), ", "));
  refuses_file("lists of lists", laughs);
  std::string merges = "a0: &a0 {x: 1, y: 2}\n";
  for (int i = 1; i < 40; ++i)
    merges += fmt::format("a{0}: &a{0} {{<<: *a{1}, p{0}: *a{1}, q{0}: *a{1}}}\n", i, i - 1);
  refuses_file("merged maps", merges);
}

TEST_F(Hostile, HugeTextsAreRefused) {
  refuses_file("a scalar of 50 MB", "a: " + std::string(50'000'000, 'x') + "\n");
  refuses_file("an integer of a million digits", "a: " + std::string(1'000'000, '9') + "\n");
  refuses_file("half a million values", "a: [" + repeated("1,", 500'000) + "1]\n");
  refuses_file("a quote without an end", "a: '" + std::string(1'000'000, '\n'));
}

TEST_F(Hostile, ManyKeysAreCheap) {
  std::string keys;
  for (int i = 0; i < 45'000; ++i) keys += fmt::format("k{}: 1\n", i);
  folder_.write("config.yaml", keys);
  expect_cheap("45,000 keys", cost_of([&] { compose_resolved({}); }), kAccepted);
  refuses_file("45,000 keys, one twice", keys + "k0: 2\n");
}

TEST_F(Hostile, InterpolationsThatGrowAreRefused) {
  refuses_file("a cycle", "a: ${b}\nb: ${c}\nc: x_${a}\n");
  refuses_file("itself", "a: {b: '${a}'}\n");
  std::string doubling = "a0: xxxxxxxx\n",
              nesting = "a: ", copies = "big: [" + repeated("1,", 20'000) + "1]\n";
  for (int i = 1; i < 60; ++i) doubling += fmt::format("a{0}: ${{a{1}}}${{a{1}}}\n", i, i - 1);
  refuses_file("texts that double", doubling);
  std::string lists = "a0: [1, 2]\n";
  for (int i = 1; i < 60; ++i) lists += fmt::format("a{0}: ['${{a{1}}}', '${{a{1}}}']\n", i, i - 1);
  refuses_file("lists that double", lists);
  refuses_file("nested 100,000 deep",
               nesting + repeated("${", 100'000) + "x" + repeated("}", 100'000) + "\n");
  for (int i = 0; i < 5'000; ++i) copies += fmt::format("c{}: ${{big}}\n", i);
  refuses_file("5,000 copies of a large list", copies);
  std::string chain = "a0: 1\n";
  for (int i = 1; i < 20'000; ++i) chain += fmt::format("a{}: ${{a{}}}\n", i, i - 1);
  refuses_file("a chain of 20,000", chain);
  refuses_file("resolvers in resolvers",
               "a: " + repeated("${oc.decode:", 50'000) + repeated("}", 50'000) + "\n");
}

TEST_F(Hostile, HugeWordsAreRefused) {
  refuses_words("brackets", {"k=" + repeated("[", 120'000)});
  refuses_words("casts in casts", {"k=" + repeated("int(", 30'000) + "1" + repeated(")", 30'000)});
  refuses_words("openings of interpolations", {"k=" + repeated("${", 60'000) + "["});
  refuses_words("escapes", {"k=" + repeated("\\\\", 60'000) + "'"});
  refuses_words("a dotted key", {repeated("a.", 60'000) + "b=1"});
  refuses_words("a million digits", {"k=" + std::string(120'000, '9')});
  refuses_words("a wrong dict", {"k={" + repeated("a:1,", 30'000)});
  refuses_words("many wrong words", std::vector<std::string>(5'000, "nothing=1"));
}

TEST_F(Hostile, SweepsThatExplodeAreRefused) {
  refuses_sweep("a huge range", {"k=range(1,1000000000)"});
  refuses_sweep("a fine range", {"k=range(0,1,1e-300)"});
  refuses_sweep("a range that does not move", {"k=range(1e300,2e300,1)"});
  refuses_sweep("an endless range", {"k=range(0,inf)"});
  refuses_sweep("no numbers", {"k=range(nan,1)"});
  refuses_sweep("a product", {"k=range(100000)", "l=range(100000)", "m=range(100000)"});
  refuses_sweep("a range from an end to the other", {"k=range(-9223372036854775808,9223372036854775807)"});
  refuses_sweep("a shuffled range", {"k=shuffle(range(0,1e9))"});
}

}  // namespace
}  // namespace canvaslab::config
