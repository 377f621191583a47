// Which ids of a checkpoint's vocabulary have a meaning for the sampling loop.
#pragma once

#include <optional>
#include <string>

#include "core/vocabulary.h"
#include "models/checkpoint/generation_config.h"
#include "models/gemma4/config.h"
#include "models/tokenizer/tokenizer.h"

namespace canvaslab {

// End and padding are the generation configuration's; the mask is `mask`, else the tokenizer's <mask>.
// `origin` names the checkpoint in errors. ConfigurationError for a mask or padding outside the vocabulary;
// an end outside it, which real checkpoints list, is never met.
Vocabulary special_tokens(const Gemma4Config& config, const GenerationConfig& generation,
                          const std::optional<Tokenizer>& tokenizer, std::optional<TokenId> mask,
                          const std::string& origin);

}  // namespace canvaslab
