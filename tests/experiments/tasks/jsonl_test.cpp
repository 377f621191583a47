// The task `jsonl`: strict reading, splits by prompt, each pair once an epoch, and answers that fit.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "experiments/tasks/character_tokenizer.h"
#include "experiments/tasks/task.h"
#include "models/tokenizer/tokenizer.h"
#include "tests/complaint.h"
#include "tests/options.h"
#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr Split kSplits[] = {Split::kTrain, Split::kValidation, Split::kTest};

class JsonLines : public testing::Test {
 protected:
  std::unique_ptr<Task> task(const std::string& lines, const std::string& more = "") {
    std::ofstream(folder_ / "pairs.jsonl") << lines;
    return build<Task>(
        fmt::format("{{name: jsonl, file: '{}'{}}}", (folder_ / "pairs.jsonl").string(), more));
  }

  // Prompts "0" to count - 1, each with the response "r" and the number.
  static std::string pairs(int count) {
    std::string lines;
    for (int i = 0; i < count; ++i)
      lines += fmt::format("{{\"prompt\": \"{0}\", \"response\": \"r{0}\", \"id\": \"n{0}\"}}\n", i);
    return lines;
  }

  Tokenizer tokenizer(const std::vector<std::string>& symbols) {
    std::ofstream(folder_ / "tokenizer.json") << character_tokenizer(symbols);
    return Tokenizer::load(folder_ / "tokenizer.json");
  }

  TemporaryFolder folder_;
};

TEST_F(JsonLines, EveryPairIsInOneSplit) {
  const auto jsonl = task(pairs(1000));
  std::map<std::string, int> seen;
  std::vector<std::uint64_t> sizes;
  for (const Split split : {Split::kValidation, Split::kTest}) {
    std::uint64_t index = 0;
    for (; jsonl->example(split, index); ++index) ++seen[jsonl->example(split, index)->prompt];
    sizes.push_back(index);
    EXPECT_NEAR(static_cast<double>(index), 100, 40);
  }
  const std::uint64_t training = 1000 - sizes[0] - sizes[1];
  for (std::uint64_t i = 0; i < training; ++i) ++seen[jsonl->example(Split::kTrain, i)->prompt];
  EXPECT_EQ(seen.size(), 1000U);
  for (const auto& [prompt, count] : seen) EXPECT_EQ(count, 1) << prompt;
}

TEST_F(JsonLines, EqualPromptsStayTogether) {
  const auto jsonl = task(pairs(300) + pairs(300));
  std::map<std::string, std::set<std::string>> splits_of_prompt;
  for (const Split split : kSplits) {
    for (std::uint64_t i = 0; i < 600; ++i) {
      if (const auto item = jsonl->example(split, i))
        splits_of_prompt[item->prompt].insert(split_name(split));
    }
  }
  EXPECT_EQ(splits_of_prompt.size(), 300U);
  for (const auto& [prompt, splits] : splits_of_prompt) EXPECT_EQ(splits.size(), 1U) << prompt;
}

TEST_F(JsonLines, EachEpochHasAnotherOrder) {
  const auto jsonl = task(pairs(50));
  size_t size = 50;
  for (const Split split : {Split::kValidation, Split::kTest})
    for (std::uint64_t i = 0; jsonl->example(split, i); ++i) --size;
  std::set<std::vector<std::string>> orders;
  for (const std::uint64_t epoch : {0, 1, 2}) {
    std::vector<std::string> order;
    for (std::uint64_t i = 0; i < size; ++i)
      order.push_back(jsonl->example(Split::kTrain, epoch * size + i)->id);
    EXPECT_EQ(std::set<std::string>(order.begin(), order.end()).size(), size);
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 3U);
  const auto other = task(pairs(50), ", seed: 2");
  int same = 0;
  for (std::uint64_t i = 0; i < size; ++i)
    same += jsonl->example(Split::kTrain, i)->id == other->example(Split::kTrain, i)->id ? 1 : 0;
  EXPECT_LT(same, 15);
}

TEST_F(JsonLines, ARunTakesTheFirstOfItsSplit) {
  const auto items = task(pairs(500), ", split: validation, samples: 5")->items({});
  ASSERT_EQ(items.size(), 5U);
  for (std::uint64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(items[i].id, task(pairs(500))->example(Split::kValidation, i)->id);
    EXPECT_EQ(items[i].target, "r" + items[i].prompt);
  }
  EXPECT_GT(task(pairs(2000), ", samples: null")->items({}).size(), 64U);
  const auto jsonl = task(pairs(5));
  EXPECT_EQ(jsonl->grade(items[0], items[0].target), true);
  EXPECT_EQ(jsonl->grade(items[0], "other"), false);
}

TEST_F(JsonLines, BadLinesAreNamed) {
  const auto read = [&](const std::string& line) {
    return complaint([&] { task("{\"prompt\": \"a\", \"response\": \"b\"}\n" + line)->items({}); });
  };
  EXPECT_THAT(read("{\"prompt\": \"a\"}"), HasSubstr("pairs.jsonl:2: \"response\" is missing or empty"));
  EXPECT_THAT(read("{\"prompt\": \"a\", \"response\": \"\"}"),
              HasSubstr("pairs.jsonl:2: \"response\" is missing"));
  EXPECT_THAT(read("{\"response\": \"a\"}"), HasSubstr("pairs.jsonl:2: \"prompt\" is missing"));
  EXPECT_THAT(read("{\"prompt\": \"a\", \"respones\": \"b\"}"),
              HasSubstr("pairs.jsonl:2: unknown key 'respones'; did you mean 'response'?"));
  EXPECT_THAT(read("{\"prompt\": [], \"response\": \"b\"}"), HasSubstr("'prompt': expected a string"));
  EXPECT_THAT(read("{\"prompt\": \"a\", \"target\": \"b\"}"), HasSubstr("unknown key 'target'"));
  EXPECT_THAT(read("\"a\""), HasSubstr("pairs.jsonl:2: expected a JSON object"));
  EXPECT_THAT(complaint([&] { task("")->items({}); }), HasSubstr("pairs.jsonl: no prompts"));
}

TEST_F(JsonLines, ASplitWithoutPairsIsRefused) {
  const std::string one = "{\"prompt\": \"a\", \"response\": \"b\"}\n";
  int refused = 0;
  for (const Split split : kSplits) {
    const auto jsonl = task(one, fmt::format(", split: {}", split_name(split)));
    refused += complaint([&] {
                 jsonl->items({});
               }).find(fmt::format("none of its pairs belongs to the {} split", split_name(split))) !=
                       std::string::npos
                   ? 1
                   : 0;
  }
  EXPECT_EQ(refused, 2);
}

TEST_F(JsonLines, AnswersMustFitTheCanvas) {
  const std::string lines = pairs(8) + "{\"prompt\": \"1\", \"response\": \"rr12\", \"id\": \"long\"}\n";
  const Tokenizer known = tokenizer({"r", "0", "1", "2", "3", "4", "5", "6", "7"});
  EXPECT_EQ(complaint([&] { task(lines)->check(known, 4); }), "accepted");
  EXPECT_THAT(
      complaint([&] { task(lines)->check(known, 3); }),
      AllOf(HasSubstr("pairs.jsonl: example long"), HasSubstr("4 tokens"), HasSubstr("the canvas 3")));
}

TEST_F(JsonLines, CharactersMustBeKnown) {
  const Tokenizer known = tokenizer({"r", "0", "1", "2"});
  EXPECT_EQ(complaint([&] { task(pairs(3))->check(known, 4); }), "accepted");
  EXPECT_THAT(complaint([&] { task(pairs(4))->check(known, 4); }),
              HasSubstr("example n3: character 1 of its prompt is '3', which the tokenizer does not know"));
}

TEST_F(JsonLines, RefusesBadSettings) {
  for (const char* bad : {"file: ''", "file: 3", "file: x, samples: 0", "file: x, split: all", "files: x"})
    EXPECT_NE(refusal<Task>(fmt::format("{{name: jsonl, {}}}", bad)), "accepted") << bad;
  EXPECT_THAT(complaint([] { build<Task>("{name: jsonl, file: /absent/pairs.jsonl}")->items({}); }),
              HasSubstr("/absent/pairs.jsonl: the file of prompts cannot be read"));
}

}  // namespace
}  // namespace canvaslab
