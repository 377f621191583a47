// The task `sorting`: answers sorted by counting, no answer in two splits.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "experiments/tasks/task.h"
#include "tests/options.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<Task> task(const std::string& settings) {
  return build<Task>(fmt::format("{{name: sorting, {}}}", settings));
}

// By counting each symbol, without a comparison.
std::string counted(const std::string& text) {
  std::string sorted;
  for (char symbol = '0'; symbol <= 'z'; ++symbol)
    sorted += std::string(static_cast<size_t>(std::count(text.begin(), text.end(), symbol)), symbol);
  return sorted;
}

TEST(Sorting, AnswersAreSorted) {
  for (const char* settings : {"length: 8", "length: 20", "length: 2", "length: 8, alphabet: letters",
                               "length: 8, ties: false", "length: 24, alphabet: letters, ties: false"}) {
    const auto sorting = task(settings);
    bool ties = false;
    for (std::uint64_t i = 0; i < 300; ++i) {
      const TaskItem item = *sorting->example(Split::kTrain, i);
      EXPECT_EQ(item.target, counted(item.prompt));
      EXPECT_EQ(static_cast<std::int64_t>(item.prompt.size()), sorting->canvas_length());
      EXPECT_EQ(item.difficulty == 0, item.prompt == item.target);
      const std::set<char> different(item.prompt.begin(), item.prompt.end());
      ties = ties || different.size() < item.prompt.size();
    }
    EXPECT_EQ(ties, std::string(settings).find("ties: false") == std::string::npos) << settings;
  }
}

TEST(Sorting, DifficultyCountsInversions) {
  for (std::uint64_t i = 0; i < 200; ++i) {
    const TaskItem item = *task("length: 6")->example(Split::kTrain, i);
    std::string text = item.prompt;
    int swaps = 0;  // bubble sort makes one for each inversion
    for (size_t end = text.size(); end > 1; --end)
      for (size_t j = 1; j < end; ++j)
        if (text[j - 1] > text[j]) std::swap(text[j - 1], text[j]), ++swaps;
    EXPECT_EQ(item.difficulty, swaps) << item.prompt;
  }
}

TEST(Sorting, SplitsShareNoAnswer) {
  for (const char* settings : {"length: 2", "length: 2, ties: false", "length: 8, ties: false", "length: 8",
                               "length: 24, alphabet: letters, ties: false"}) {
    std::map<std::string, std::set<std::string>> splits_of_answer;
    for (const Split split : {Split::kTrain, Split::kValidation, Split::kTest}) {
      const auto sorting = task(fmt::format("{}, seed: {}", settings, static_cast<int>(split)));
      for (std::uint64_t i = 0; i < 5000; ++i)
        splits_of_answer[sorting->example(split, i)->target].insert(split_name(split));
    }
    for (const auto& [answer, splits] : splits_of_answer) EXPECT_EQ(splits.size(), 1U) << answer;
    EXPECT_GE(splits_of_answer.size(), 40U) << settings;
  }
}

TEST(Sorting, MeasuresWhatIsWrong) {
  const TaskItem item{"0", "3141", "1134"};
  const auto measured = [&](const std::string& answer) {
    std::map<std::string, double> values;
    for (const Metric& metric : task("length: 4")->measure(item, answer)) values[metric.name] = metric.value;
    return values;
  };
  using Values = std::map<std::string, double>;
  EXPECT_EQ(measured("1134"),
            (Values{{"exact", 1}, {"token_accuracy", 1}, {"in_order", 1}, {"symbols_kept", 1}}));
  EXPECT_EQ(measured("1143"),
            (Values{{"exact", 0}, {"token_accuracy", 0.5}, {"in_order", 0}, {"symbols_kept", 1}}));
  EXPECT_EQ(measured("1234"),
            (Values{{"exact", 0}, {"token_accuracy", 0.75}, {"in_order", 1}, {"symbols_kept", 0.75}}));
  EXPECT_EQ(task("length: 4")->grade(item, "1134"), true);
  EXPECT_EQ(task("length: 4")->grade(item, "3141"), false);
}

TEST(Sorting, SettingsHaveTheirEffect) {
  EXPECT_EQ(task("samples: 3")->items({}).size(), 3U);
  EXPECT_NE(task("seed: 2")->items({})[0].prompt, task("seed: 1")->items({})[0].prompt);
  EXPECT_NE(task("split: train")->items({})[0].prompt, task("split: test")->items({})[0].prompt);
  EXPECT_EQ(task("alphabet: letters")->symbols().size(), 26U);
  EXPECT_EQ(task("alphabet: digits")->symbols().front(), "0");
}

TEST(Sorting, RefusesBadSettings) {
  for (const char* bad :
       {"length: 1", "length: x", "alphabet: words", "samples: 0", "split: all", "tie: false"})
    EXPECT_NE(refusal<Task>(fmt::format("{{name: sorting, {}}}", bad)), "accepted") << bad;
  EXPECT_THAT(refusal<Task>("{name: sorting, length: 9, ties: false}"),
              HasSubstr("length: expected at most 8 of 10 symbols without ties, got 9"));
}

}  // namespace
}  // namespace canvaslab
