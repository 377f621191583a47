// The task `addition`: sums checked with integers, no pair in two splits.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "experiments/tasks/task.h"
#include "tests/options.h"

namespace canvaslab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<Task> task(int digits, const std::string& more = "") {
  return build<Task>(fmt::format("{{name: addition, digits: {}{}}}", digits, more));
}

// Places in a row that carry, by sums of ever more digits.
int longest_carry(std::uint64_t a, std::uint64_t b, int digits) {
  int longest = 0, run = 0;
  std::uint64_t ten = 1;
  for (int i = 0; i < digits; ++i) {
    ten *= 10;
    run = a % ten + b % ten >= ten ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

TEST(Addition, SumsAreRightAndOfFixedWidth) {
  for (const int digits : {1, 3, 8}) {
    const auto addition = task(digits);
    std::set<double> difficulties;
    for (std::uint64_t i = 0; i < 500; ++i) {
      const TaskItem item = *addition->example(Split::kTrain, i);
      const auto width = static_cast<size_t>(digits);
      ASSERT_EQ(item.prompt.size(), 2 * width + 2);
      ASSERT_EQ(item.prompt[width], '+');
      ASSERT_EQ(item.prompt.back(), '=');
      const std::uint64_t a = std::stoull(item.prompt.substr(0, width)),
                          b = std::stoull(item.prompt.substr(width + 1, width));
      EXPECT_EQ(item.target, fmt::format("{:0{}}", a + b, digits + 1));
      EXPECT_EQ(item.difficulty, longest_carry(a, b, digits)) << item.prompt;
      difficulties.insert(*item.difficulty);
    }
    EXPECT_GE(difficulties.size(), digits == 1 ? 2U : 4U);
    EXPECT_EQ(addition->canvas_length(), digits + 1);
    EXPECT_EQ(addition->longest_prompt(), 2 * digits + 2);
  }
}

// a + b and b + a count as the same question.
TEST(Addition, SplitsShareNoPair) {
  for (const int digits : {1, 2, 3}) {
    std::map<std::set<std::string>, std::set<std::string>> splits_of_pair;
    for (const Split split : {Split::kTrain, Split::kValidation, Split::kTest}) {
      const auto addition = task(digits, fmt::format(", seed: {}", static_cast<int>(split)));
      for (std::uint64_t i = 0; i < 20000; ++i) {
        const std::string prompt = addition->example(split, i)->prompt;
        const auto width = static_cast<size_t>(digits);
        splits_of_pair[{prompt.substr(0, width), prompt.substr(width + 1, width)}].insert(split_name(split));
      }
    }
    for (const auto& [pair, splits] : splits_of_pair) EXPECT_EQ(splits.size(), 1U) << *pair.begin();
    if (digits == 1) {
      EXPECT_EQ(splits_of_pair.size(), 55U);
    }
  }
}

TEST(Addition, GradesAndMeasuresDigits) {
  const TaskItem item{"0", "007+042=", "0049"};
  EXPECT_EQ(task(3)->grade(item, "0049"), true);
  EXPECT_EQ(task(3)->grade(item, "49"), false);
  const Metrics metrics = task(3)->measure(item, "0149");
  ASSERT_EQ(metrics.size(), 2U);
  EXPECT_EQ(metrics[0].name, "exact");
  EXPECT_EQ(metrics[0].value, 0);
  EXPECT_EQ(metrics[1].name, "token_accuracy");
  EXPECT_EQ(metrics[1].value, 0.75);
}

TEST(Addition, SettingsHaveTheirEffect) {
  const auto prompts = [](const std::string& more) {
    std::vector<std::string> all;
    for (const TaskItem& item : task(4, more)->items({})) all.push_back(item.prompt);
    return all;
  };
  EXPECT_EQ(prompts("").size(), 64U);
  EXPECT_EQ(prompts(", samples: 3").size(), 3U);
  EXPECT_NE(prompts(", seed: 2"), prompts(""));
  EXPECT_NE(prompts(", split: train"), prompts(""));
  EXPECT_EQ(prompts(", split: train")[7], task(4)->example(Split::kTrain, 7)->prompt);
  EXPECT_THAT(task(1)->symbols(), ElementsAre("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "+", "="));
}

TEST(Addition, RefusesBadSettings) {
  for (const char* bad : {"digits: 0", "digits: x", "samples: 0", "split: all", "seed: -1", "digit: 3"})
    EXPECT_NE(refusal<Task>(fmt::format("{{name: addition, {}}}", bad)), "accepted") << bad;
  EXPECT_THAT(refusal<Task>("{name: addition, digit: 3}"), HasSubstr("did you mean 'digits'?"));
}

}  // namespace
}  // namespace canvaslab
