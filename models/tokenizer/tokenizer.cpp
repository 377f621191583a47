// The stages in order: added tokens, normaliser, added tokens again (the normalised ones), words, merges,
// special tokens.
#include "models/tokenizer/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "models/tokenizer/added_tokens.h"
#include "models/tokenizer/byte_pair_encoding.h"
#include "models/tokenizer/decoder.h"
#include "models/tokenizer/normalizer.h"
#include "models/tokenizer/post_processor.h"
#include "models/tokenizer/pre_tokenizer.h"
#include "models/tokenizer/section.h"
#include "models/tokenizer/tokenizer_file.h"
#include "models/tokenizer/utf8.h"

namespace canvaslab {

namespace {

void check_top_level(const Section& top) {
  top.only({"version", "truncation", "padding", "added_tokens", "normalizer", "pre_tokenizer",
            "post_processor", "decoder", "model"});
  if (std::string version = top.text_or("version", "1.0"); version != "1.0") {
    top.refuse(fmt::format("version '{}' is not known; expected 1.0", version));
  }
  top.unused("truncation", "texts are encoded whole");
  top.unused("padding", "texts are encoded one at a time");
}

}  // namespace

struct Tokenizer::Tables {
  explicit Tables(TokenizerFile read)
      : file(std::move(read)),
        top(file.document, file.name, ""),
        normalizer((check_top_level(top), top)),
        added(top, file.vocabulary, normalizer),
        pre_tokenizer(top),
        model(top.child("model"), file),
        post_processor(top),
        decoder(top) {}

  TokenizerFile file;
  Section top;
  Normalizer normalizer;
  AddedTokens added;
  PreTokenizer pre_tokenizer;
  BytePairEncoding model;
  PostProcessor post_processor;
  Decoder decoder;
};

Tokenizer Tokenizer::load(const std::filesystem::path& tokenizer_json) {
  return Tokenizer(std::make_shared<const Tables>(read_tokenizer_file(tokenizer_json)));
}

Tokenizer Tokenizer::parse(std::string_view tokenizer_json, const std::string& name) {
  return Tokenizer(std::make_shared<const Tables>(parse_tokenizer_file(tokenizer_json, name)));
}

void Tokenizer::encode_piece(std::string_view text, bool at_start, std::vector<TokenId>& ids) const {
  std::string normalized = tables_->normalizer.apply(text);
  tables_->added.split_normalized(
      normalized, [&](std::optional<TokenId> id, std::size_t begin, std::size_t end) {
        if (id) {
          ids.push_back(*id);
          return;
        }
        std::string_view piece = std::string_view(normalized).substr(begin, end - begin);
        tables_->pre_tokenizer.split(piece, at_start && begin == 0,
                                     [&](std::string_view word) { tables_->model.encode(word, ids); });
      });
}

std::vector<TokenId> Tokenizer::encode(std::string_view utf8, bool add_special_tokens) const {
  if (std::optional<std::size_t> at = invalid_utf8(utf8)) {
    throw Error(fmt::format("text to encode: byte {} (0x{:02X}) is not valid UTF-8", *at,
                            static_cast<unsigned char>(utf8[*at])));
  }
  std::vector<TokenId> ids;
  ids.reserve(utf8.size() / 3);
  tables_->added.split_raw(utf8, [&](std::optional<TokenId> id, std::size_t begin, std::size_t end) {
    if (id) {
      ids.push_back(*id);
    } else {
      encode_piece(utf8.substr(begin, end - begin), begin == 0, ids);
    }
  });
  return tables_->post_processor.apply(std::move(ids), add_special_tokens);
}

std::string Tokenizer::decode(std::span<const TokenId> ids, bool skip_special_tokens) const {
  std::vector<std::string> tokens;
  tokens.reserve(ids.size());
  for (TokenId id : ids) {
    if (const AddedToken* added = tables_->added.find(id)) {
      if (!skip_special_tokens || !added->skipped) tokens.push_back(added->decoded);
    } else if (std::optional<std::string_view> text = tables_->file.vocabulary.token(id)) {
      tokens.emplace_back(*text);
    }
  }
  return tables_->decoder.decode(std::move(tokens));
}

std::optional<TokenId> Tokenizer::id(std::string_view token) const {
  if (const AddedToken* added = tables_->added.find(token)) return added->id;
  return tables_->file.vocabulary.id(token);
}

std::optional<std::string> Tokenizer::token(TokenId id) const {
  if (const AddedToken* added = tables_->added.find(id)) return added->content;
  std::optional<std::string_view> text = tables_->file.vocabulary.token(id);
  return text ? std::optional(std::string(*text)) : std::nullopt;
}

bool Tokenizer::is_special(TokenId id) const {
  const AddedToken* added = tables_->added.find(id);
  return added != nullptr && added->special;
}

std::size_t Tokenizer::size() const {
  auto outside = std::ranges::count_if(tables_->added.tokens(), [&](const AddedToken& token) {
    return !tables_->file.vocabulary.id(token.content);
  });
  return tables_->file.vocabulary.size() + static_cast<std::size_t>(outside);
}

}  // namespace canvaslab
