// Puts the special tokens around an encoded text.
#pragma once

#include <optional>
#include <vector>

#include "core/step.h"
#include "models/tokenizer/section.h"

namespace canvaslab {

// The "post_processor" section. Supported kinds: TemplateProcessing, ByteLevel (it concerns offsets only),
// Sequence.
class PostProcessor {
 public:
  // `top` is the whole document; its "post_processor" may be null. Throws ConfigurationError for other kinds.
  explicit PostProcessor(const Section& top);

  std::vector<TokenId> apply(std::vector<TokenId> ids, bool add_special_tokens) const;

 private:
  using SpecialTokens = std::vector<TokenId>;
  using Template = std::vector<std::optional<SpecialTokens>>;  // nothing: the text goes here

  void add(const Section& section);

  std::vector<Template> templates_;  // none or one
};

}  // namespace canvaslab
