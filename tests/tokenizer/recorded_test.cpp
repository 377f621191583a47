// Every recorded encoding and decoding of the reference, reproduced exactly: on both real tokenizers, and on
// small ones with every combination of options.
#include <gtest/gtest.h>

#include <thread>

#include "tests/tokenizer/tokenizer_files.h"

namespace canvaslab {
namespace {

using testing::json_lines;

// Checks what one recorded line holds: a text with its ids, ids with their text, or both.
void expect_recorded(const Tokenizer& tokenizer, const nlohmann::json& line) {
  if (line.contains("text")) {
    const auto& text = line["text"].get_ref<const std::string&>();
    EXPECT_EQ(tokenizer.encode(text, true), line["ids"].get<std::vector<TokenId>>())
        << line["text"].dump(-1, ' ', true);
    EXPECT_EQ(tokenizer.encode(text, false), line["ids_no_special"].get<std::vector<TokenId>>())
        << line["text"].dump(-1, ' ', true);
  }
  if (line.contains("decode")) {
    auto ids = line["ids"].get<std::vector<TokenId>>();
    EXPECT_EQ(tokenizer.decode(ids, true), line["decode"].get<std::string>()) << line["ids"];
    EXPECT_EQ(tokenizer.decode(ids, false), line["decode_keep_special"].get<std::string>()) << line["ids"];
  }
}

void expect_all_recorded(const Tokenizer& tokenizer, const std::string& file, std::size_t at_least) {
  std::vector<nlohmann::json> lines = json_lines(file);
  EXPECT_GE(lines.size(), at_least) << file;
  for (const nlohmann::json& line : lines) expect_recorded(tokenizer, line);
}

TEST(Recorded, Gemma3EncodesAsTheReference) {
  expect_all_recorded(testing::gemma3(), "golden/tokenizer/encode.jsonl", 400);
}

TEST(Recorded, Gemma3DecodesAsTheReference) {
  expect_all_recorded(testing::gemma3(), "golden/tokenizer/decode.jsonl", 60);
}

TEST(Recorded, Gemma4EncodesAsTheReference) {
  expect_all_recorded(testing::gemma4(), "golden/chat/encode.jsonl", 460);
}

TEST(Recorded, RandomTextsAndIdsOnGemma3) {
  expect_all_recorded(testing::gemma3(), "tokenizer_extra/gemma3.jsonl", 150);
}

TEST(Recorded, RandomTextsAndIdsOnGemma4) {
  expect_all_recorded(testing::gemma4(), "tokenizer_extra/gemma4.jsonl", 150);
}

// Lines {"tokenizer": document} start the next tokenizer; the lines after it were recorded with it.
TEST(Recorded, SmallTokenizersWithEveryOption) {
  std::optional<Tokenizer> tokenizer;
  int tokenizers = 0;
  int cases = 0;
  for (const nlohmann::json& line : json_lines("tokenizer_extra/variants.jsonl")) {
    if (line.contains("tokenizer")) {
      tokenizer = testing::load(line["tokenizer"]);
      ++tokenizers;
      continue;
    }
    SCOPED_TRACE("variant " + std::to_string(tokenizers));
    expect_recorded(*tokenizer, line);
    ++cases;
  }
  EXPECT_GE(tokenizers, 40);
  EXPECT_GE(cases, 400);
}

TEST(Recorded, TheSameFromSeveralThreadsAtOnce) {
  std::vector<nlohmann::json> lines = json_lines("golden/chat/encode.jsonl");
  const Tokenizer& tokenizer = testing::gemma4();
  std::vector<std::vector<std::vector<TokenId>>> results(3);
  std::vector<std::thread> threads;
  for (auto& result : results) {
    threads.emplace_back([&] {
      for (const nlohmann::json& line : lines)
        result.push_back(tokenizer.encode(line["text"].get<std::string>(), true));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : results) {
    for (std::size_t i = 0; i < lines.size(); ++i)
      ASSERT_EQ(result[i], lines[i]["ids"].get<std::vector<TokenId>>());
  }
}

TEST(Tokenizer, KnowsItsTokens) {
  const Tokenizer& tokenizer = testing::gemma3();
  EXPECT_EQ(tokenizer.size(), 262145u);  // 262,144 and one added beyond
  EXPECT_EQ(tokenizer.id("<bos>"), 2);
  EXPECT_EQ(tokenizer.token(106), "<end_of_turn>");
  EXPECT_EQ(tokenizer.id("<image_soft_token>"), 262144);
  EXPECT_EQ(tokenizer.token(262144), "<image_soft_token>");
  EXPECT_EQ(tokenizer.token(262145), std::nullopt);
  EXPECT_EQ(tokenizer.token(-1), std::nullopt);
  EXPECT_EQ(tokenizer.id("no such token"), std::nullopt);
  EXPECT_TRUE(tokenizer.is_special(2));
  EXPECT_FALSE(tokenizer.is_special(4));  // <mask> is added, but not special
  EXPECT_FALSE(tokenizer.is_special(1000));
}

TEST(Tokenizer, LeavesOutIdsThatNoTokenHas) {
  std::vector<TokenId> ids = {-1, 2364, 1 << 30};
  EXPECT_EQ(testing::gemma3().decode(ids, false), "user");
}

TEST(Tokenizer, RefusesTextThatIsNotUtf8) {
  for (const char* text : {"ab\x80", "ab\xC0\xAF", "ab\xED\xA0\x80", "ab\xF5\x80\x80\x80", "ab\xE2\x82"}) {
    try {
      testing::gemma3().encode(text, true);
      ADD_FAILURE() << "accepted";
    } catch (const std::exception& error) {
      EXPECT_NE(std::string(error.what()).find("byte 2"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace canvaslab
