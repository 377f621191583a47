// Tokenizers made for a task: the same bytes as a shipped one, loaded and read back; examples that do not
// fit.
#include "experiments/tasks/character_tokenizer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "experiments/tasks/encode_example.h"
#include "tests/complaint.h"
#include "tests/options.h"
#include "tests/temporary_folder.h"
#include "tests/test_data.h"

namespace canvaslab {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CharacterTokenizer : public testing::Test {
 protected:
  Tokenizer load(const std::vector<std::string>& symbols) {
    std::ofstream(folder_ / "tokenizer.json") << character_tokenizer(symbols);
    return Tokenizer::load(folder_ / "tokenizer.json");
  }
  TemporaryFolder folder_;
};

// Recorded by the `tokenizers` library when it saved the tokenizer of a 6x6 model.
TEST_F(CharacterTokenizer, IsWhatTheLibrarySaves) {
  std::ifstream in(test_data("tasks/sudoku6_tokenizer.json"), std::ios::binary);
  const std::string saved{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  ASSERT_FALSE(saved.empty());
  EXPECT_EQ(character_tokenizer(build<Task>("{name: sudoku, side: 6}")->symbols()), saved);
}

TEST_F(CharacterTokenizer, OneTokenACharacter) {
  const std::vector<std::string> symbols{"a", " ", "\n", "\"", "\\", "é", "€", "😀", "<"};
  const Tokenizer tokenizer = load(symbols);
  EXPECT_EQ(tokenizer.size(), symbols.size() + 4);
  for (size_t i = 0; i < symbols.size(); ++i)
    EXPECT_THAT(tokenizer.encode(symbols[i], false), ElementsAre(static_cast<TokenId>(i + 4)));
  const std::string text = "a\n \"é\"\\ 😀€<a";
  const auto ids = tokenizer.encode(text, true);
  EXPECT_EQ(ids.size(), 13U);
  EXPECT_EQ(ids[0], 2);
  EXPECT_EQ(tokenizer.decode(ids, true), text);
  EXPECT_EQ(tokenizer.id("<pad>"), 0);
  EXPECT_EQ(tokenizer.id("<eos>"), 1);
  EXPECT_EQ(tokenizer.id("<mask>"), 3);
}

TEST_F(CharacterTokenizer, RefusesWhatIsNoSymbol) {
  for (const char* bad : {"", "ab", "\xff", "éa"})
    EXPECT_THAT(complaint([&] { character_tokenizer({"a", bad}); }), HasSubstr("not one character")) << bad;
  EXPECT_THAT(complaint([] { character_tokenizer({"a", "b", "a"}); }), HasSubstr("'a' is listed twice"));
}

// Every task that has symbols makes its examples of them, and they fit what it promises.
TEST_F(CharacterTokenizer, CoversTheExamplesOfItsTask) {
  for (const char* settings :
       {"{name: sudoku, side: 4}", "{name: sudoku, side: 6}", "{name: sudoku, side: 9}", "{name: addition}",
        "{name: sorting}", "{name: sorting, alphabet: letters}"}) {
    const auto task = build<Task>(settings);
    const Tokenizer tokenizer = load(task->symbols());
    EXPECT_NO_THROW(task->check(tokenizer, *task->canvas_length()));
    for (std::uint64_t i = 0; i < 100; ++i) {
      const TaskItem item = *task->example(Split::kTrain, i);
      const EncodedExample encoded = encode_example(item, tokenizer, *task->canvas_length());
      EXPECT_EQ(static_cast<std::int64_t>(encoded.target.size()), *task->canvas_length()) << settings;
      EXPECT_LE(static_cast<std::int64_t>(encoded.prompt.size()), *task->longest_prompt() + 1) << settings;
      EXPECT_EQ(tokenizer.decode(encoded.prompt, true), item.prompt);
      EXPECT_EQ(tokenizer.decode(encoded.target, true), item.target);
    }
  }
}

TEST_F(CharacterTokenizer, ATaskThatDoesNotFitIsRefused) {
  const auto task = build<Task>("{name: sudoku, side: 6}");
  EXPECT_THAT(complaint([&] { task->check(load(task->symbols()), 35); }),
              AllOf(HasSubstr("36 tokens"), HasSubstr("generates 35")));
  EXPECT_THAT(complaint([&] {
                task->check(load({"1", "2", "3", "4", "."}), 36);
              }),
              HasSubstr("contain '5', which the tokenizer does not know"));
}

TEST_F(CharacterTokenizer, ExamplesThatDoNotFitAreNamed) {
  const Tokenizer tokenizer = load({"a", "b", "é"});
  const EncodedExample encoded = encode_example({"7", "ab", "éa"}, tokenizer, 2);
  EXPECT_THAT(encoded.prompt, ElementsAre(2, 4, 5));
  EXPECT_THAT(encoded.target, ElementsAre(6, 4));
  EXPECT_THAT(complaint([&] {
                encode_example({"7", "ab", "aba"}, tokenizer, 2);
              }),
              HasSubstr("example 7: its target has 3 tokens, the canvas 2"));
  EXPECT_THAT(complaint([&] {
                encode_example({"7", "ab", "éc"}, tokenizer, 2);
              }),
              HasSubstr("example 7: character 2 of its target is 'c', which the tokenizer does not know"));
  EXPECT_THAT(complaint([&] {
                encode_prompt({"7", "aéx", ""}, tokenizer);
              }),
              HasSubstr("character 3 of its prompt is 'x'"));
  EXPECT_THAT(complaint([&] {
                encode_prompt({"7", "a\xff", ""}, tokenizer);
              }),
              HasSubstr("byte 1 of its prompt is not valid UTF-8"));
}

// A prompt may spell a special token, as chat templates do.
TEST_F(CharacterTokenizer, SpecialTokensMayBeSpelt) {
  EXPECT_THAT(encode_prompt({"7", "a<eos>b", ""}, load({"a", "b"})), ElementsAre(2, 4, 1, 5));
}

}  // namespace
}  // namespace canvaslab
