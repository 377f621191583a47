// What is damaged or not supported is refused when loading, with file, section and kind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/tokenizer/tokenizer_files.h"

namespace canvaslab {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

// The message of the ConfigurationError that loading throws, or "" where it loads.
std::string complaint(const std::string& text) {
  try {
    Tokenizer::load(testing::write_text(text));
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "";
}

// The same for the small document with `value` in place of what `pointer` points at.
std::string complaint_with(const std::string& pointer, const json& value) {
  json document = testing::small_document();
  document[json::json_pointer(pointer)] = value;
  return complaint(document.dump());
}

TEST(TokenizerFile, TheSmallDocumentLoads) {
  EXPECT_EQ(complaint(testing::small_document().dump()), "");
}

TEST(TokenizerFile, NamesAFileThatCannotBeRead) {
  try {
    Tokenizer::load(testing::temporary_folder() / "absent.json");
    ADD_FAILURE() << "loaded";
  } catch (const ConfigurationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("absent.json"));
  }
  EXPECT_THROW(Tokenizer::load(testing::temporary_folder()), ConfigurationError);
}

TEST(TokenizerFile, NamesThePlaceOfBrokenJson) {
  std::string text = testing::small_document().dump();
  EXPECT_THAT(complaint(text.substr(0, text.size() / 2)),
              AllOf(HasSubstr("small.json"), HasSubstr("at byte")));
  EXPECT_NE(complaint(""), "");
  EXPECT_NE(complaint("[]"), "");
  EXPECT_NE(complaint("{}"), "");
  EXPECT_NE(complaint(R"({"version": "1.0", "model": {"vocab": {"\ud800": 1}, "merges": []}})"), "");
}

TEST(TokenizerFile, RefusesEveryUnsupportedKindByName) {
  const std::vector<std::array<std::string, 2>> kCases = {{"normalizer", "NFC"},
                                                          {"pre_tokenizer", "ByteLevel"},
                                                          {"post_processor", "BertProcessing"},
                                                          {"decoder", "WordPiece"},
                                                          {"model", "Unigram"}};
  for (const auto& [section, kind] : kCases) {
    EXPECT_THAT(complaint_with("/" + section + (section == "model" ? "/type" : ""),
                               section == "model" ? json(kind) : json{{"type", kind}}),
                AllOf(HasSubstr("small.json"), HasSubstr(section), HasSubstr("'" + kind + "'")));
  }
}

TEST(TokenizerFile, NamesTheElementOfASequence) {
  json sequence = {{"type", "Sequence"}, {"decoders", {{{"type", "Fuse"}}, {{"type", "ByteFalback"}}}}};
  EXPECT_THAT(complaint_with("/decoder", sequence),
              AllOf(HasSubstr("decoder.decoders[1]"), HasSubstr("did you mean 'ByteFallback'")));
}

TEST(TokenizerFile, RefusesRegularExpressionsAndEmptyPatterns) {
  json pattern = {{"Regex", "\\s+"}};
  EXPECT_THAT(complaint_with("/normalizer", {{"type", "Replace"}, {"pattern", pattern}, {"content", ""}}),
              AllOf(HasSubstr("normalizer.pattern"), HasSubstr("regular expressions")));
  EXPECT_THAT(
      complaint_with(
          "/pre_tokenizer",
          {{"type", "Split"}, {"pattern", {{"String", ""}}}, {"behavior", "Removed"}, {"invert", false}}),
      HasSubstr("pre_tokenizer.pattern"));
}

TEST(TokenizerFile, RefusesUnknownAndUnsupportedSettings) {
  EXPECT_THAT(complaint_with("/normaliser", nullptr),
              AllOf(HasSubstr("'normaliser'"), HasSubstr("did you mean 'normalizer'")));
  EXPECT_THAT(complaint_with("/model/bytefallback", true), HasSubstr("did you mean 'byte_fallback'"));
  EXPECT_THAT(complaint_with("/version", "2.0"), HasSubstr("2.0"));
  EXPECT_THAT(complaint_with("/truncation", {{"max_length", 8}}), HasSubstr("truncation"));
  EXPECT_THAT(complaint_with("/padding", {{"length", 8}}), HasSubstr("padding"));
  EXPECT_THAT(complaint_with("/model/dropout", 0.1), HasSubstr("dropout"));
  EXPECT_THAT(complaint_with("/model/end_of_word_suffix", "</w>"), HasSubstr("end_of_word_suffix"));
  EXPECT_THAT(complaint_with("/model/ignore_merges", "yes"), HasSubstr("ignore_merges"));
  EXPECT_EQ(complaint_with("/model/dropout", 0.0), "");
  EXPECT_EQ(complaint_with("/model/continuing_subword_prefix", ""), "");
}

TEST(TokenizerFile, RefusesADamagedVocabulary) {
  EXPECT_THAT(complaint_with("/model/vocab/d", "5"), AllOf(HasSubstr("model.vocab"), HasSubstr("'d'")));
  EXPECT_THAT(complaint_with("/model/vocab/d", 1.5), HasSubstr("'d'"));
  EXPECT_THAT(complaint_with("/model/vocab/d", json::array()), HasSubstr("'d'"));
  EXPECT_THAT(complaint_with("/model/vocab/d", -1), HasSubstr("-1"));
  EXPECT_THAT(complaint_with("/model/vocab/d", 1LL << 40), HasSubstr("'d'"));
  EXPECT_THAT(complaint_with("/model/vocab/d", 3),
              AllOf(HasSubstr("'ab'"), HasSubstr("'d'"), HasSubstr("3")));
  EXPECT_THAT(complaint(R"({"model": {"vocab": {"a": 0, "a": 1}, "merges": []}})"), HasSubstr("twice"));
}

TEST(TokenizerFile, RefusesAModelWithoutItsParts) {
  EXPECT_THAT(complaint(R"({"model": {"merges": []}})"), HasSubstr("model: 'vocab' is missing"));
  EXPECT_THAT(complaint(R"({"model": {"vocab": {}}})"), HasSubstr("model: 'merges' is missing"));
  EXPECT_THAT(complaint_with("/model/vocab", json::array()), HasSubstr("model.vocab: expected an object"));
  EXPECT_THAT(complaint_with("/model/merges", json::object()), HasSubstr("model.merges: expected a list"));
}

TEST(TokenizerFile, RefusesDamagedMerges) {
  EXPECT_THAT(complaint_with("/model/merges/1", "a b c"), HasSubstr("model.merges[1]"));
  EXPECT_THAT(complaint_with("/model/merges/1", {"a"}), HasSubstr("model.merges[1]"));
  EXPECT_THAT(complaint_with("/model/merges/1", 7), HasSubstr("model.merges[1]"));
  EXPECT_THAT(complaint_with("/model/merges/1", {"a", "c"}),
              AllOf(HasSubstr("model.merges[1]"), HasSubstr("'ac'")));
}

TEST(TokenizerFile, RefusesAddedTokensThatContradictTheVocabulary) {
  auto with = [](std::vector<json> tokens) { return complaint_with("/added_tokens", tokens); };
  EXPECT_EQ(with({testing::added_token("ab", 3), testing::added_token("<x>", 5)}), "");
  EXPECT_THAT(with({testing::added_token("ab", 4)}), AllOf(HasSubstr("added_tokens[0]"), HasSubstr("3")));
  EXPECT_THAT(with({testing::added_token("<x>", 9)}),
              AllOf(HasSubstr("<x>"), HasSubstr("9"), HasSubstr("5")));
  EXPECT_THAT(with({testing::added_token("<x>", 5), testing::added_token("<x>", 5)}), HasSubstr("twice"));
  EXPECT_THAT(with({testing::added_token("", 5)}), HasSubstr("content"));
  json incomplete = testing::added_token("<x>", 5);
  incomplete.erase("rstrip");
  EXPECT_THAT(with({incomplete}), HasSubstr("'rstrip' is missing"));
}

TEST(TokenizerFile, RefusesATemplateWithUnlistedTokens) {
  json processor = {{"type", "TemplateProcessing"},
                    {"single", {{{"SpecialToken", {{"id", "<bos>"}, {"type_id", 0}}}}}},
                    {"pair", json::array()},
                    {"special_tokens", json::object()}};
  EXPECT_THAT(complaint_with("/post_processor", processor),
              AllOf(HasSubstr("post_processor.single[0]"), HasSubstr("'<bos>'")));
}

}  // namespace
}  // namespace canvaslab
