// Byte-pair encoding: characters become symbols, and the pair of neighbours with the lowest rank merges until
// none is left.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/step.h"
#include "models/tokenizer/flat_map.h"
#include "models/tokenizer/section.h"
#include "models/tokenizer/tokenizer_file.h"

namespace canvaslab {

// The "model" section of kind BPE. Const methods may run in several threads at once.
//
// A word of n symbols takes O(n log n). Words may be whole documents (Gemma's pre-tokenizer leaves text in
// one piece), so a word is cut first where no sequence of merges could ever join its two sides; that changes
// no result.
class BytePairEncoding {
 public:
  // Throws ConfigurationError for another kind of model, an option that is not supported, or a merge whose
  // parts or result are not in the vocabulary. `file` must outlive the object.
  BytePairEncoding(const Section& model, const TokenizerFile& file);

  // Appends the ids of one word (valid UTF-8). Characters outside the vocabulary become byte tokens
  // (byte_fallback), the unknown token, or nothing where there is neither. Throws Error when the unknown
  // token is needed, but not in the vocabulary.
  void encode(std::string_view word, std::vector<TokenId>& ids) const;

 private:
  static constexpr std::uint32_t kNoRank = ~std::uint32_t{0};

  struct Merge {
    TokenId left;
    TokenId right;
    TokenId whole;
    std::size_t length;  // bytes of the whole
  };

  // What two neighbouring symbols can do.
  struct Bond {
    std::uint32_t rank =
        kNoRank;  // kNoRank: they do not merge, but tokens exist that grow across their border
    TokenId merged = -1;
  };

  // A symbol of a word, in a list: merging takes the right one out.
  struct Symbol {
    TokenId id;
    std::int32_t previous;
    std::int32_t next;
    bool alive;
  };
  struct Candidate {
    std::uint32_t rank;
    std::int32_t position;
    TokenId merged;
    // A max-heap of these gives the lowest rank first, and the leftmost of equals.
    bool operator<(const Candidate& other) const {
      return rank != other.rank ? rank > other.rank : position > other.position;
    }
  };
  struct Workspace {
    std::vector<TokenId> symbols;
    std::vector<Symbol> list;
    std::vector<Candidate> heap;
  };

  static std::uint64_t pair_key(TokenId left, TokenId right) {
    return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
  }

  void index_characters();
  std::vector<Merge> index_merges();
  void index_borders(std::vector<Merge> merges);
  bool is_symbol(TokenId id) const;
  TokenId unknown() const;
  std::optional<TokenId> character_id(std::string_view character) const;
  bool append_bytes(std::string_view character, std::vector<TokenId>& symbols) const;
  void to_symbols(std::string_view word, std::vector<TokenId>& symbols) const;
  void merge_stretch(Workspace& work, std::size_t begin, std::size_t end, std::vector<TokenId>& ids) const;
  void consider(Workspace& work, std::int32_t position) const;

  const TokenizerFile* file_;
  bool byte_fallback_;
  bool fuse_unknown_;
  bool ignore_merges_;
  std::optional<std::string> unknown_token_;
  std::optional<TokenId> unknown_id_;
  std::vector<TokenId> byte_ids_;   // [256], -1: no such token
  std::vector<TokenId> ascii_ids_;  // [128], -1: not in the vocabulary
  FlatMap<TokenId> character_ids_;  // code point -> id, beyond ASCII
  FlatMap<Bond> bonds_;             // pair of symbols -> bond
  bool borders_known_ = true;       // false: words are never cut
};

}  // namespace canvaslab
