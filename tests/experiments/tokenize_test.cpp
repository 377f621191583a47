// The commands `tokenize` and `detokenize`, line by line.
#include "experiments/tokenize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "core/error.h"
#include "tests/tokenizer/tokenizer_files.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

// A tokenizer with a special token <s> (5) in front of every text.
std::filesystem::path tokenizer_file() {
  nlohmann::json document = testing::small_document();
  nlohmann::json special = testing::added_token("<s>", 5);
  special["special"] = true;
  document["added_tokens"] = {special};
  document["post_processor"] = nlohmann::json::parse(R"({"type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
    "pair": [], "special_tokens": {"<s>": {"id": "<s>", "ids": [5], "tokens": ["<s>"]}}})");
  return testing::write_text(document.dump());
}

std::string tokenized(const std::string& input, bool special_tokens) {
  std::istringstream in(input);
  std::ostringstream out;
  EXPECT_EQ(tokenize(tokenizer_file(), special_tokens, in, out), 0);
  return out.str();
}

std::string detokenized(const std::string& input, bool skip_special_tokens) {
  std::istringstream in(input);
  std::ostringstream out;
  EXPECT_EQ(detokenize(tokenizer_file(), skip_special_tokens, in, out), 0);
  return out.str();
}

TEST(Tokenize, WritesOneListALine) {
  EXPECT_EQ(tokenized("\"abca\"\n\"\"\n\"<s>b\"\n", false), "[4,0]\n[]\n[5,1]\n");
  EXPECT_EQ(tokenized("\"abca\"\r\n\n\"\"", true), "[5,4,0]\n[5]\n");
}

TEST(Tokenize, DetokenizeIsTheReverse) {
  EXPECT_EQ(detokenized("[5,4,0]\n[]\n[ 1 , 99 ]\n", true), "\"abca\"\n\"\"\n\"b\"\n");
  EXPECT_EQ(detokenized("[5,4,0]\n", false), "\"<s>abca\"\n");
}

TEST(Tokenize, NamesTheBadLine) {
  auto complaint = [](const auto& work) {
    try {
      work();
    } catch (const ConfigurationError&) {
      return std::string("a ConfigurationError");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  for (const char* line : {"abc", "[1]", "\"a\" \"b\"", "\"\\ud800\"", "\"\xFF\""}) {
    EXPECT_THAT(complaint([&] { tokenized("\"a\"\n" + std::string(line), false); }),
                HasSubstr("line 2: expected one JSON string"))
        << line;
  }
  for (const char* line : {"7", "\"a\"", "[1,", "[-1]", "[1.5]", "[\"a\"]", "[99999999999]"}) {
    EXPECT_THAT(complaint([&] { detokenized("[0]\n" + std::string(line), false); }),
                HasSubstr("line 2: expected one JSON list"))
        << line;
  }
}

TEST(Tokenize, AMissingTokenizerIsAWrongArgument) {
  std::istringstream in;
  std::ostringstream out;
  EXPECT_THROW(tokenize(testing::temporary_folder() / "absent.json", false, in, out), ConfigurationError);
}

}  // namespace
}  // namespace canvaslab
