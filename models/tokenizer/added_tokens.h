// Tokens that are cut out of the text before anything else happens to it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/step.h"
#include "models/tokenizer/normalizer.h"
#include "models/tokenizer/section.h"
#include "models/tokenizer/trie.h"
#include "models/tokenizer/vocabulary.h"

namespace canvaslab {

struct AddedToken {
  TokenId id = 0;
  std::string content;
  bool single_word = false;  // found only where no word character touches it
  bool lstrip = false;       // takes the white space on its left with it
  bool rstrip = false;       // takes the white space on its right with it
  bool normalized = false;   // found in normalised text, by its own normalised form
  bool special = false;      // left out of decoded text on demand
  std::string decoded{};     // what it decodes to: the content, or the normalised form of a normalised token
  bool skipped = false;      // left out on demand in fact: its decoded form is the content of a special token
};

// The "added_tokens" section. Const methods may run in several threads at once.
class AddedTokens {
 public:
  // A piece of text between added tokens, or one of them.
  using Piece = std::function<void(std::optional<TokenId> id, std::size_t begin, std::size_t end)>;

  AddedTokens() = default;
  // Throws ConfigurationError for a token without all its flags, given twice, or with another id than the
  // vocabulary's (the next free one, where the vocabulary does not have it).
  AddedTokens(const Section& top, const TokenStrings& vocabulary, const Normalizer& normalizer);

  // Cuts text into pieces at the tokens that are looked for in raw / in normalised text.
  void split_raw(std::string_view text, const Piece& piece) const { split(raw_, text, piece); }
  void split_normalized(std::string_view text, const Piece& piece) const { split(normalized_, text, piece); }

  const AddedToken* find(TokenId id) const;
  const AddedToken* find(std::string_view content) const;

  const std::vector<AddedToken>& tokens() const { return tokens_; }

 private:
  void add(const Section& section, const TokenStrings& vocabulary);
  void index(const Section& list, const Normalizer& normalizer);
  void split(const Trie& trie, std::string_view text, const Piece& piece) const;

  std::vector<AddedToken> tokens_;
  std::unordered_map<TokenId, std::size_t> by_id_;  // index into tokens_
  std::unordered_map<std::string, std::size_t> by_content_;
  TokenId next_id_ = 0;  // what a token outside the vocabulary gets
  Trie raw_;             // values: index into tokens_
  Trie normalized_;
};

}  // namespace canvaslab
