// Byte-pair encoding against its definition, carried out naively: merge the leftmost pair of lowest rank,
// start again.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "core/error.h"
#include "tests/tokenizer/tokenizer_files.h"

namespace canvaslab {
namespace {

using Pieces = std::vector<std::string>;
using Ranks = std::map<std::pair<std::string, std::string>, int>;

Pieces merged_naively(Pieces pieces, const Ranks& ranks) {
  while (true) {
    int best = -1;
    std::size_t where = 0;
    for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
      auto found = ranks.find({pieces[i], pieces[i + 1]});
      if (found == ranks.end() || (best >= 0 && found->second >= best)) continue;
      best = found->second;
      where = i;
    }
    if (best < 0) return pieces;
    pieces[where] += pieces[where + 1];
    pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(where) + 1);
  }
}

// A random tokenizer over a small alphabet, whose merges come in no helpful order.
struct RandomModel {
  explicit RandomModel(std::mt19937& random) : document(testing::small_document()) {
    for (char letter = 'a'; letter < 'f'; ++letter) tokens.emplace_back(1, letter);
    std::vector<std::pair<std::string, std::string>> pairs;
    for (int i = 0; i < 14; ++i) {
      std::string left = tokens[random() % tokens.size()];
      std::string right = tokens[random() % tokens.size()];
      if (std::ranges::find(pairs, std::pair(left, right)) != pairs.end()) continue;
      pairs.emplace_back(left, right);
      if (std::ranges::find(tokens, left + right) == tokens.end()) tokens.push_back(left + right);
    }
    std::ranges::shuffle(pairs, random);
    document["model"]["vocab"] = nlohmann::json::object();
    document["model"]["merges"] = nlohmann::json::array();
    for (std::size_t i = 0; i < tokens.size(); ++i) document["model"]["vocab"][tokens[i]] = i;
    for (const auto& [left, right] : pairs) {
      ranks[{left, right}] = static_cast<int>(ranks.size());
      document["model"]["merges"].push_back({left, right});
    }
  }

  Pieces tokens;
  Ranks ranks;
  nlohmann::json document;
};

TEST(BytePairEncoding, MergesAsItsDefinitionSays) {
  std::mt19937 random(7);
  for (int model_number = 0; model_number < 60; ++model_number) {
    RandomModel model(random);
    Tokenizer tokenizer = testing::load(model.document);
    for (int word_number = 0; word_number < 60; ++word_number) {
      std::string word;
      Pieces letters;
      for (std::size_t length = random() % 40; length > 0; --length)
        letters.emplace_back(1, static_cast<char>('a' + random() % 5));
      for (const std::string& letter : letters) word += letter;
      Pieces found;
      for (TokenId id : tokenizer.encode(word, false)) found.push_back(*tokenizer.token(id));
      ASSERT_EQ(found, merged_naively(letters, model.ranks)) << word << " " << model.document["model"].dump();
    }
  }
}

TEST(BytePairEncoding, BothNotationsOfMergesMeanTheSame) {
  nlohmann::json document = testing::small_document();
  std::vector<TokenId> pairs = testing::load(document).encode("aabcab", false);
  document["model"]["merges"] = {"#version: 0.2", "a b", "ab c"};
  EXPECT_EQ(testing::load(document).encode("aabcab", false), pairs);
  EXPECT_EQ(pairs, (std::vector<TokenId>{0, 4, 3}));
}

TEST(BytePairEncoding, CharactersOutsideTheVocabularyVanishWithoutUnknownToken) {
  EXPECT_EQ(testing::load(testing::small_document()).encode("a?b", false), (std::vector<TokenId>{3}));
}

TEST(BytePairEncoding, UnknownTokenOutsideTheVocabularyIsAnErrorOnlyWhenNeeded) {
  nlohmann::json document = testing::small_document();
  document["model"]["unk_token"] = "<unk>";
  Tokenizer tokenizer = testing::load(document);
  EXPECT_EQ(tokenizer.encode("ab", false), (std::vector<TokenId>{3}));
  EXPECT_THROW(tokenizer.encode("a?", false), Error);
}

TEST(BytePairEncoding, UnknownTokensFuseOnlyWhenAsked) {
  nlohmann::json document = testing::small_document();
  document["model"]["unk_token"] = "<unk>";
  document["model"]["vocab"]["<unk>"] = 5;
  EXPECT_EQ(testing::load(document).encode("a??b?", false), (std::vector<TokenId>{0, 5, 5, 1, 5}));
  document["model"]["fuse_unk"] = true;
  EXPECT_EQ(testing::load(document).encode("a??b?", false), (std::vector<TokenId>{0, 5, 1, 5}));
}

}  // namespace
}  // namespace canvaslab
