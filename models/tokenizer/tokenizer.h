// Text to token ids and back, as a Hugging Face tokenizer.json of the Gemma family says.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/step.h"

namespace canvaslab {

// Cheap to copy: copies share the tables. After loading everything is const and may be used by several
// threads at once.
class Tokenizer {
 public:
  // Reads a tokenizer.json. Throws ConfigurationError naming file, section and kind for anything that is
  // damaged or not supported: what loads is encoded and decoded exactly as the `tokenizers` library does it.
  static Tokenizer load(const std::filesystem::path& tokenizer_json);

  // The same of a tokenizer.json's text; `name` stands for the file in errors.
  static Tokenizer parse(std::string_view tokenizer_json, const std::string& name);

  // The ids of a text. `add_special_tokens` adds what the post-processor puts around it (Gemma: <bos> in
  // front); special tokens spelt out inside the text are always recognised. Throws Error for text that is not
  // valid UTF-8.
  std::vector<TokenId> encode(std::string_view utf8, bool add_special_tokens) const;

  // The text of ids, valid UTF-8. Ids that no token has (negative ones too) are left out, and with
  // `skip_special_tokens` the special tokens.
  std::string decode(std::span<const TokenId> ids, bool skip_special_tokens) const;

  // Both know the added tokens too.
  std::optional<TokenId> id(std::string_view token) const;
  std::optional<std::string> token(TokenId id) const;
  // Whether decoding can leave the token out.
  bool is_special(TokenId id) const;

  // The number of tokens, added ones included. Ids are 0 to size() - 1 unless the vocabulary has gaps.
  std::size_t size() const;

 private:
  struct Tables;
  explicit Tokenizer(std::shared_ptr<const Tables> tables) : tables_(std::move(tables)) {}

  void encode_piece(std::string_view text, bool at_start, std::vector<TokenId>& ids) const;

  std::shared_ptr<const Tables> tables_;
};

}  // namespace canvaslab
