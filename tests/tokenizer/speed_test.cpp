// Loading and encoding at a usable speed, with generous bounds; the benchmarks give exact figures.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <random>

#include "tests/tokenizer/tokenizer_files.h"

namespace canvaslab {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
constexpr bool kSlowBuild = true;
#else
constexpr bool kSlowBuild = false;
#endif

class Speed : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kSlowBuild) GTEST_SKIP() << "times say nothing in a debug or sanitizer build";
  }

  // The quicker of two tries, in seconds of this program's own time: others share the machine.
  template <typename Work>
  static double seconds(const Work& work) {
    double best = 1e9;
    for (int i = 0; i < 2; ++i) {
      std::clock_t start = std::clock();
      work();
      best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    return best;
  }
};

TEST_F(Speed, LoadsTheRealTokenizerInWellUnderTwoSeconds) {
  std::filesystem::path file = testing::real_tokenizer_file("gemma3");
  EXPECT_LT(seconds([&] { Tokenizer::load(file); }), 1.5);
}

TEST_F(Speed, EncodesTwoMegabytesASecond) {
  std::string text;
  for (const nlohmann::json& line : testing::json_lines("golden/tokenizer/encode.jsonl")) {
    text += line["text"].get<std::string>() + "\n";
  }
  while (text.size() < 2'000'000) text += std::string(text);
  double megabytes = static_cast<double>(text.size()) / 1e6;
  EXPECT_GT(megabytes / seconds([&] { testing::gemma3().encode(text, true); }), 2.0);
}

// A word of a million letters: the time must grow with its length, not with the square of it.
TEST_F(Speed, EncodesAMegabyteWithoutSpaces) {
  std::mt19937 random(3);
  for (int letters : {1, 26}) {
    std::string word;
    while (word.size() < 1'000'000)
      word += static_cast<char>('a' + random() % static_cast<unsigned>(letters));
    std::string tenth = word.substr(0, word.size() / 10);
    double whole = seconds([&] { testing::gemma3().encode(word, true); });
    EXPECT_LT(whole, 1.0) << letters;
    EXPECT_LT(whole, 40 * seconds([&] { testing::gemma3().encode(tenth, true); })) << letters;
  }
}

}  // namespace
}  // namespace canvaslab
