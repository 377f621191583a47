// Reads a tokenizer.json. A real one is 33 MB, nearly all of it vocabulary and merges: those two go straight
// into compact tables as they are parsed, the rest becomes an ordinary JSON document.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "models/tokenizer/vocabulary.h"

namespace canvaslab {

// The merges in order of rank, as pairs of strings in one buffer.
class MergeList {
 public:
  void add(std::string_view left, std::string_view right);
  std::size_t size() const { return spans_.size(); }
  std::string_view left(std::size_t rank) const;
  std::string_view right(std::size_t rank) const;
  // Left and right, joined: the token that the merge makes.
  std::string_view whole(std::size_t rank) const;

 private:
  struct Span {
    std::uint64_t offset;
    std::uint32_t left;
    std::uint32_t right;
  };
  std::string text_;
  std::vector<Span> spans_;
};

struct TokenizerFile {
  std::string name;         // the path, for messages
  nlohmann::json document;  // everything; model.vocab and model.merges are left empty in it
  TokenStrings vocabulary;
  MergeList merges;
};

// Throws ConfigurationError naming the file: unreadable, not JSON (with the position), a vocabulary entry
// that is no unique id, a merge in neither notation ("a b" or ["a", "b"]).
TokenizerFile read_tokenizer_file(const std::filesystem::path& path);

// The same of a text; `name` stands for the file in errors.
TokenizerFile parse_tokenizer_file(std::string_view text, const std::string& name);

}  // namespace canvaslab
