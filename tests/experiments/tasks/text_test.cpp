// The task `text`: windows of a file, no place of it in two splits, and its metrics.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "experiments/tasks/task.h"
#include "experiments/tasks/text_corpus.h"
#include "models/tokenizer/tokenizer.h"
#include "tests/options.h"
#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

class TextTask : public testing::Test {
 protected:
  // A text whose every window of four characters tells its place: "0000", "0001" ... as letters.
  TextTask() {
    for (int i = 0; i < 8000; ++i) text_ += fmt::format("{:x}{:x}é{:x} ", i >> 8, i >> 4 & 15, i & 15);
    write("text", text_);
  }

  std::string write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return (folder_ / name).string();
  }

  std::unique_ptr<Task> task(const std::string& settings) {
    return build<Task>(fmt::format("{{name: text, file: '{}', {}}}", (folder_ / "text").string(), settings));
  }

  TemporaryFolder folder_;
  std::string text_;
};

TEST_F(TextTask, TheTargetFollowsThePromptInTheText) {
  for (const char* settings : {"length: 20, context: 10", "length: 7, context: 0"}) {
    const auto text = task(settings);
    for (const Split split : {Split::kTrain, Split::kValidation, Split::kTest}) {
      for (std::uint64_t i = 0; i < 50; ++i) {
        const TaskItem item = *text->example(split, i);
        EXPECT_NE(text_.find(item.prompt + item.target), std::string::npos);
        EXPECT_EQ(TextCorpus(item.target + std::string(100, 'x'), 1, "").size() - 100, text->canvas_length());
        EXPECT_EQ(TextCorpus(item.prompt + std::string(100, 'x'), 1, "").size() - 100,
                  text->longest_prompt());
      }
    }
  }
}

TEST_F(TextTask, SplitsShareNoPlace) {
  std::map<size_t, std::set<std::string>> splits_of_byte;
  for (const Split split : {Split::kTrain, Split::kValidation, Split::kTest}) {
    const auto text = task(fmt::format("length: 40, context: 20, seed: {}", static_cast<int>(split)));
    for (std::uint64_t i = 0; i < 5000; ++i) {
      const TaskItem item = *text->example(split, i);
      const size_t at = text_.find(item.prompt + item.target);
      for (size_t byte = at; byte < at + item.prompt.size() + item.target.size(); ++byte)
        splits_of_byte[byte].insert(split_name(split));
    }
  }
  EXPECT_GT(splits_of_byte.size(), text_.size() / 10 * 9);
  for (const auto& [byte, splits] : splits_of_byte) EXPECT_EQ(splits.size(), 1U) << byte;
}

TEST_F(TextTask, SettingsHaveTheirEffect) {
  EXPECT_EQ(task("samples: 3")->items({}).size(), 3U);
  EXPECT_NE(task("seed: 2")->items({})[0].target, task("seed: 1")->items({})[0].target);
  EXPECT_NE(task("split: train")->items({})[0].target, task("split: test")->items({})[0].target);
  EXPECT_EQ(task("seed: 1")->symbols().size(), 18U);  // 0 to f, é and the space
  EXPECT_EQ(task("seed: 1")->grade({"", "", "a"}, "a"), std::nullopt);
}

double value(const Metrics& metrics, const std::string& name) {
  for (const Metric& metric : metrics)
    if (metric.name == name) return metric.value;
  return std::numeric_limits<double>::quiet_NaN();
}

TEST_F(TextTask, MeasuresLikenessToTheTrainingText) {
  const auto text = task("length: 20, context: 10");
  const TaskItem item = *text->example(Split::kTrain, 0);
  const Metrics itself = text->measure(item, item.target),
                other = text->measure(item, "zzzzz zz zzzzzzzzzzz");
  EXPECT_EQ(value(itself, "dictionary_words"), 1);
  EXPECT_EQ(value(other, "dictionary_words"), 0);
  EXPECT_EQ(value(itself, "ngram_nats"), value(itself, "ngram_nats_target"));
  EXPECT_EQ(value(itself, "ngram_nats"), value(other, "ngram_nats_target"));
  EXPECT_LT(value(itself, "ngram_nats"), value(other, "ngram_nats"));
  EXPECT_NE(value(task("length: 20, context: 10, ngram_order: 1")->measure(item, item.target), "ngram_nats"),
            value(itself, "ngram_nats"));
  EXPECT_TRUE(text->measure(item, "").empty());
}

// A tokenizer of letters and three pairs of them.
TEST_F(TextTask, CountsTheTokensOfATokenizer) {
  const std::string tokenizer = write("tokenizer.json", R"({
    "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
    "pre_tokenizer": null, "post_processor": null, "decoder": {"type": "Fuse"},
    "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
      "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "ignore_merges": false,
      "vocab": {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4, "aa": 5},
      "merges": [["a", "b"], ["ab", "c"], ["a", "a"]]}})");
  std::string source;
  for (int i = 0; i < 9000; ++i) source += "aabcb"[i * i % 61 % 5];
  write("text", source);
  const auto text = task(fmt::format("tokenizer: '{}', length: 6, context: 3", tokenizer));
  const Tokenizer reader = Tokenizer::load(tokenizer);
  std::map<size_t, int> lengths;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const TaskItem item = *text->example(Split::kTrain, i);
    EXPECT_NE(source.find(item.prompt + item.target), std::string::npos);
    EXPECT_LE(reader.encode(item.prompt, false).size(), 3U);
    ++lengths[reader.encode(item.target, false).size()];
  }
  EXPECT_EQ(lengths.rbegin()->first, 6U);
  EXPECT_GT(lengths[6], 150);
  EXPECT_TRUE(text->symbols().empty());
  EXPECT_EQ(text->canvas_length(), 6);
}

TEST_F(TextTask, RefusesBadSettingsAndFiles) {
  for (const char* bad :
       {"length: 0", "context: -1", "ngram_order: 0", "samples: 0", "split: all", "lenght: 3"})
    EXPECT_NE(refusal<Task>(fmt::format("{{name: text, {}}}", bad)), "accepted") << bad;
  const auto complaint = [&](const std::string& settings) -> std::string {
    try {
      build<Task>("{name: text, " + settings + "}")->items({});
    } catch (const ConfigurationError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(
      complaint(fmt::format("file: '{}'", write("short", std::string(959, 'a')))),
      HasSubstr("short: expected at least 960 characters for windows of 96 in every split, found 959"));
  EXPECT_THAT(complaint(fmt::format("file: '{}'", (folder_ / "absent").string())),
              HasSubstr("cannot be read"));
  EXPECT_THAT(complaint(fmt::format("file: '{}', ngram_order: 60", (folder_ / "text").string())),
              HasSubstr("n-gram order: expected at most 12"));
}

}  // namespace
}  // namespace canvaslab
