// The priority queue holds candidates that may be out of date when they come up; each is checked against the
// symbols as they are by then.
#include "models/tokenizer/byte_pair_encoding.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "models/tokenizer/utf8.h"

namespace canvaslab {

BytePairEncoding::BytePairEncoding(const Section& model, const TokenizerFile& file) : file_(&file) {
  if (model.has("type")) model.kind({"BPE"});
  model.only({"type", "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk",
              "byte_fallback", "ignore_merges", "vocab", "merges"});
  model.child("vocab").members();
  model.child("merges").elements();
  model.unused("dropout", "encoding must be repeatable");
  model.unused("continuing_subword_prefix", "no tokenizer of the family has one");
  model.unused("end_of_word_suffix", "no tokenizer of the family has one");
  byte_fallback_ = model.flag_or("byte_fallback", false);
  fuse_unknown_ = model.flag_or("fuse_unk", false);
  ignore_merges_ = model.flag_or("ignore_merges", false);
  if (model.has("unk_token")) {
    unknown_token_ = model.text("unk_token");
    unknown_id_ = file.vocabulary.id(*unknown_token_);
  }
  index_characters();
  index_borders(index_merges());
}

void BytePairEncoding::index_characters() {
  byte_ids_.assign(256, -1);
  for (std::size_t byte = 0; byte < 256 && byte_fallback_; ++byte) {
    byte_ids_[byte] = file_->vocabulary.id(fmt::format("<0x{:02X}>", byte)).value_or(-1);
  }
  ascii_ids_.assign(128, -1);
  std::size_t seen = 0;
  for (TokenId id = 0; seen < file_->vocabulary.size(); ++id) {
    std::optional<std::string_view> token = file_->vocabulary.token(id);
    if (!token) continue;
    ++seen;
    if (token->empty() || utf8_length((*token)[0]) != token->size()) continue;
    char32_t character = first_character(*token);
    (character < 128 ? ascii_ids_[character] : character_ids_[character]) = id;
  }
}

std::vector<BytePairEncoding::Merge> BytePairEncoding::index_merges() {
  const MergeList& list = file_->merges;
  bonds_ = FlatMap<Bond>(list.size() + list.size() / 8);
  std::vector<Merge> merges;
  merges.reserve(list.size());
  for (std::size_t rank = 0; rank < list.size(); ++rank) {
    auto id_of = [&](std::string_view token) {
      if (std::optional<TokenId> id = file_->vocabulary.id(token)) return *id;
      throw ConfigurationError(
          fmt::format("{}: model.merges[{}]: '{}' + '{}': token '{}' is not in model.vocab", file_->name,
                      rank, list.left(rank), list.right(rank), token));
    };
    std::string_view whole = list.whole(rank);
    merges.push_back({id_of(list.left(rank)), id_of(list.right(rank)), id_of(whole), whole.size()});
    bonds_[pair_key(merges.back().left, merges.back().right)] = {static_cast<std::uint32_t>(rank),
                                                                 merges.back().whole};
  }
  return merges;
}

// Finds every pair of first symbols that can meet at a border which a merge closes. Of each token that merges
// make, the first and the last symbol are needed; shorter tokens come first, as their parts are shorter
// still.
void BytePairEncoding::index_borders(std::vector<Merge> merges) {
  std::ranges::sort(merges, {}, &Merge::length);
  struct Ends {
    TokenId first = -1;
    TokenId last = -1;
  };
  std::vector<Ends> made;  // by id; only tokens that merges make
  auto ends_of = [&](TokenId id) {
    auto index = static_cast<std::size_t>(id);
    return index < made.size() && made[index].first >= 0 ? made[index] : Ends{id, id};
  };
  for (const Merge& merge : merges) {
    Ends left = ends_of(merge.left);
    Ends right = ends_of(merge.right);
    bonds_[pair_key(left.last, right.first)];
    auto index = static_cast<std::size_t>(merge.whole);
    if (index >= made.size()) made.resize(index + 1);
    Ends& ends = made[index];
    // A token with several make-ups (a byte token spelt out in characters, say) has no single first symbol.
    bool other_make_up =
        ends.first < 0 ? is_symbol(merge.whole) : ends.first != left.first || ends.last != right.last;
    if (other_make_up) borders_known_ = false;
    ends = {left.first, right.last};
  }
}

// Whether encoding may start from this token, before any merge.
bool BytePairEncoding::is_symbol(TokenId id) const {
  std::string_view text = *file_->vocabulary.token(id);
  bool character = !text.empty() && utf8_length(text[0]) == text.size();
  bool byte = text.size() == 6 && std::ranges::find(byte_ids_, id) != byte_ids_.end();
  return character || byte || id == unknown_id_;
}

TokenId BytePairEncoding::unknown() const {
  if (unknown_id_) return *unknown_id_;
  throw Error(fmt::format(
      "{}: model.unk_token: a character is not in the vocabulary, and neither is the unknown token '{}'",
      file_->name, *unknown_token_));
}

std::optional<TokenId> BytePairEncoding::character_id(std::string_view character) const {
  char32_t code = first_character(character);
  if (code < 128) return ascii_ids_[code] < 0 ? std::nullopt : std::optional(ascii_ids_[code]);
  const TokenId* found = character_ids_.find(code);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

bool BytePairEncoding::append_bytes(std::string_view character, std::vector<TokenId>& symbols) const {
  if (!byte_fallback_) return false;
  auto id_of = [&](char byte) { return byte_ids_[static_cast<unsigned char>(byte)]; };
  if (std::ranges::any_of(character, [&](char byte) { return id_of(byte) < 0; })) return false;
  for (char byte : character) symbols.push_back(id_of(byte));
  return true;
}

void BytePairEncoding::to_symbols(std::string_view word, std::vector<TokenId>& symbols) const {
  // An unknown token waits for more to fuse with, and byte tokens overtake it, as in the reference.
  bool waiting = false;
  for (std::size_t at = 0; at < word.size();) {
    std::string_view character = word.substr(at, utf8_length(word[at]));
    at += character.size();
    if (std::optional<TokenId> id = character_id(character)) {
      if (waiting) symbols.push_back(unknown());
      waiting = false;
      symbols.push_back(*id);
    } else if (!append_bytes(character, symbols) && unknown_token_) {
      if (waiting && !fuse_unknown_) symbols.push_back(unknown());
      unknown();
      waiting = true;
    }
  }
  if (waiting) symbols.push_back(unknown());
}

void BytePairEncoding::encode(std::string_view word, std::vector<TokenId>& ids) const {
  if (ignore_merges_) {
    if (std::optional<TokenId> whole = file_->vocabulary.id(word)) {
      ids.push_back(*whole);
      return;
    }
  }
  Workspace work;
  work.symbols.reserve(word.size());
  to_symbols(word, work.symbols);
  std::size_t begin = 0;
  for (std::size_t end = 1; end <= work.symbols.size(); ++end) {
    bool border =
        end == work.symbols.size() ||
        (borders_known_ && bonds_.find(pair_key(work.symbols[end - 1], work.symbols[end])) == nullptr);
    if (!border) continue;
    merge_stretch(work, begin, end, ids);
    begin = end;
  }
}

// Queues the merge of the symbol at `position` with the one after it, if there is such a merge.
void BytePairEncoding::consider(Workspace& work, std::int32_t position) const {
  const Symbol& symbol = work.list[static_cast<std::size_t>(position)];
  if (symbol.next < 0) return;
  const Bond* bond = bonds_.find(pair_key(symbol.id, work.list[static_cast<std::size_t>(symbol.next)].id));
  if (bond == nullptr || bond->rank == kNoRank) return;
  work.heap.push_back({bond->rank, position, bond->merged});
  std::push_heap(work.heap.begin(), work.heap.end());
}

void BytePairEncoding::merge_stretch(Workspace& work, std::size_t begin, std::size_t end,
                                     std::vector<TokenId>& ids) const {
  if (end - begin == 1) {
    ids.push_back(work.symbols[begin]);
    return;
  }
  auto length = static_cast<std::int32_t>(end - begin);
  work.list.clear();
  work.heap.clear();
  for (std::int32_t i = 0; i < length; ++i) {
    TokenId id = work.symbols[begin + static_cast<std::size_t>(i)];
    work.list.push_back({id, i - 1, i + 1 < length ? i + 1 : -1, true});
  }
  for (std::int32_t i = 0; i + 1 < length; ++i) consider(work, i);

  while (!work.heap.empty()) {
    Candidate best = work.heap.front();
    std::pop_heap(work.heap.begin(), work.heap.end());
    work.heap.pop_back();
    Symbol& left = work.list[static_cast<std::size_t>(best.position)];
    if (!left.alive || left.next < 0) continue;
    Symbol& right = work.list[static_cast<std::size_t>(left.next)];
    const Bond* bond = bonds_.find(pair_key(left.id, right.id));
    if (bond == nullptr || bond->merged != best.merged) continue;
    left.id = best.merged;
    left.next = right.next;
    right.alive = false;
    if (left.next >= 0) work.list[static_cast<std::size_t>(left.next)].previous = best.position;
    if (left.previous >= 0) consider(work, left.previous);
    consider(work, best.position);
  }
  for (const Symbol& symbol : work.list) {
    if (symbol.alive) ids.push_back(symbol.id);
  }
}

}  // namespace canvaslab
