// Matches are leftmost-longest; white space and word limits are judged afterwards, so that a match that fails
// its word limits still hides the shorter ones inside it, as in the reference.
#include "models/tokenizer/added_tokens.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/tokenizer/utf8.h"

namespace canvaslab {

AddedTokens::AddedTokens(const Section& top, const TokenStrings& vocabulary, const Normalizer& normalizer)
    : next_id_(static_cast<TokenId>(vocabulary.size())) {
  if (!top.has("added_tokens")) return;
  for (const Section& section : top.list("added_tokens")) add(section, vocabulary);
  index(top.child("added_tokens"), normalizer);
}

void AddedTokens::add(const Section& section, const TokenStrings& vocabulary) {
  section.only({"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"});
  AddedToken token{.content = section.text("content"),
                   .single_word = section.flag("single_word"),
                   .lstrip = section.flag("lstrip"),
                   .rstrip = section.flag("rstrip"),
                   .normalized = section.flag("normalized"),
                   .special = section.flag("special")};
  std::int64_t id = section.number("id");
  if (token.content.empty()) section.refuse("'content' is empty; expected the token's text");
  if (by_content_.contains(token.content))
    section.refuse(fmt::format("token '{}' stands there twice", token.content));

  std::optional<TokenId> known = vocabulary.id(token.content);
  token.id = known.value_or(next_id_);
  if (id != token.id) {
    section.refuse(fmt::format("token '{}' has id {}; expected {}, {}", token.content, id, token.id,
                               known ? "its id in model.vocab" : "the next one after the vocabulary"));
  }
  if (!known) {
    // Only a vocabulary with gaps can have used the id already.
    if (std::optional<std::string_view> holder = vocabulary.token(token.id)) {
      section.refuse(
          fmt::format("token '{}': id {} is taken by '{}' of model.vocab", token.content, id, *holder));
    }
    ++next_id_;
  }
  by_id_.emplace(token.id, tokens_.size());
  by_content_.emplace(token.content, tokens_.size());
  tokens_.push_back(std::move(token));
}

void AddedTokens::index(const Section& list, const Normalizer& normalizer) {
  // Where two tokens have one normalised form, special ones come first.
  for (bool special : {true, false}) {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      AddedToken& token = tokens_[i];
      if (token.special != special) continue;
      token.decoded = token.normalized ? normalizer.apply(token.content) : token.content;
      if (token.decoded.empty()) {
        list.refuse(
            fmt::format("nothing is left of token '{}' after normalisation; expected a string to look for",
                        token.content));
      }
      (token.normalized ? normalized_ : raw_).add(token.decoded, static_cast<int>(i));
    }
  }
  for (AddedToken& token : tokens_) {
    const AddedToken* namesake = find(token.decoded);
    token.skipped = namesake != nullptr && namesake->special;
  }
}

const AddedToken* AddedTokens::find(TokenId id) const {
  auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &tokens_[found->second];
}

const AddedToken* AddedTokens::find(std::string_view content) const {
  auto found = by_content_.find(std::string(content));
  return found == by_content_.end() ? nullptr : &tokens_[found->second];
}

void AddedTokens::split(const Trie& trie, std::string_view text, const Piece& piece) const {
  std::size_t covered = 0;
  for (Trie::Match match = trie.find(text, 0); match.value != Trie::kNone;
       match = trie.find(text, match.end)) {
    const AddedToken& token = tokens_[static_cast<std::size_t>(match.value)];
    std::string_view left = text.substr(0, match.begin);
    std::string_view right = text.substr(match.end);
    if (token.single_word) {
      bool word_before = !left.empty() && is_word_character(last_character(left));
      bool word_after = !right.empty() && is_word_character(first_character(right));
      if (word_before || word_after) continue;
    }
    std::size_t begin = match.begin;
    std::size_t end = match.end;
    if (token.lstrip) begin = std::max(without_trailing_space(left).size(), covered);
    if (token.rstrip) end = text.size() - without_leading_space(right).size();
    // A token inside the white space that the one before it took: where it strips its left, nothing is left
    // of it; otherwise it counts, and the text goes on behind it. Both as in the reference.
    if (begin >= end) continue;
    if (covered < begin) piece(std::nullopt, covered, begin);
    piece(token.id, begin, end);
    covered = end;
  }
  if (covered < text.size()) piece(std::nullopt, covered, text.size());
}

}  // namespace canvaslab
