// A tokenizer for tasks whose prompts and answers are made of a few known characters: one token a character.
#pragma once

#include <string>
#include <vector>

namespace canvaslab {

// The text of a tokenizer.json: ids 0 <pad>, 1 <eos>, 2 <bos>, 3 <mask>, then the symbols in their order;
// <bos> is put in front of a text that is encoded with special tokens. ConfigurationError for a symbol that
// is not one character of valid UTF-8, or that comes twice.
std::string character_tokenizer(const std::vector<std::string>& symbols);

}  // namespace canvaslab
