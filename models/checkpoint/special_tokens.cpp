#include "models/checkpoint/special_tokens.h"

#include <fmt/format.h>

#include "core/error.h"

namespace canvaslab {

Vocabulary special_tokens(const Gemma4Config& config, const GenerationConfig& generation,
                          const std::optional<Tokenizer>& tokenizer, std::optional<TokenId> mask,
                          const std::string& origin) {
  Vocabulary out;
  out.size = config.vocab_size;
  out.mask = mask;
  if (!out.mask && tokenizer) out.mask = tokenizer->id("<mask>");
  if (out.mask && *out.mask >= out.size) {
    throw ConfigurationError(
        fmt::format("model.mask_token: id {} is outside the vocabulary of {} entries", *out.mask, out.size));
  }
  if (generation.pad_token_id) out.padding = static_cast<TokenId>(*generation.pad_token_id);
  if (out.padding && *out.padding >= out.size) {
    throw ConfigurationError(
        fmt::format("{}: pad_token_id: expected an id below the vocabulary's {} entries, found {}", origin,
                    out.size, *out.padding));
  }
  for (const std::int64_t id : generation.eos_token_ids) out.end.push_back(static_cast<TokenId>(id));
  return out;
}

}  // namespace canvaslab
