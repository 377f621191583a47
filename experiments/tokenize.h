// The commands `tokenize` and `detokenize`: lines of JSON in, lines of JSON out.
#pragma once

#include <filesystem>
#include <iosfwd>

namespace canvaslab {

// Reads one JSON string a line and writes its ids, one JSON list a line; `special_tokens` adds those that the
// tokenizer puts around a text. Empty lines are no texts (an empty text is ""). Returns the exit status, 0.
// Throws ConfigurationError for the tokenizer, and Error naming the line for one that is not a JSON string.
int tokenize(const std::filesystem::path& tokenizer, bool special_tokens, std::istream& input,
             std::ostream& output);

// The reverse: reads one JSON list of ids a line and writes their text, one JSON string a line. Ids that no
// token has are left out, and with `skip_special_tokens` the special tokens. Throws as `tokenize` does.
int detokenize(const std::filesystem::path& tokenizer, bool skip_special_tokens, std::istream& input,
               std::ostream& output);

}  // namespace canvaslab
