// Turns the strings of tokens back into text.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "models/tokenizer/normalizer.h"
#include "models/tokenizer/section.h"

namespace canvaslab {

// The "decoder" section. Supported kinds: Replace (of a string), ByteFallback, Fuse, Strip, Metaspace,
// Sequence of them.
class Decoder {
 public:
  // `top` is the whole document; its "decoder" may be null: then tokens are joined by spaces. Throws
  // ConfigurationError for other kinds.
  explicit Decoder(const Section& top);

  std::string decode(std::vector<std::string> tokens) const;

 private:
  using Tokens = std::vector<std::string>;
  struct Replace {
    ReplaceText text;
    Tokens apply(Tokens tokens) const;
  };
  // Runs of byte tokens <0xNN> become the text that the bytes are, or one U+FFFD a byte where they are no
  // valid UTF-8.
  struct ByteFallback {
    Tokens apply(Tokens tokens) const;
  };
  struct Fuse {
    Tokens apply(const Tokens& tokens) const;
  };
  // Takes up to `start` / `stop` of `content` off either end of each token.
  struct Strip {
    std::string content;
    std::size_t start;
    std::size_t stop;
    Tokens apply(Tokens tokens) const;
  };
  // The mark becomes a space, except in the first token, where it goes if the encoder may have put it there.
  struct Metaspace {
    std::string mark;
    bool drops_first;
    Tokens apply(Tokens tokens) const;
  };

  void add(const Section& section);

  bool given_ = false;
  std::vector<std::variant<Replace, ByteFallback, Fuse, Strip, Metaspace>> steps_;
};

}  // namespace canvaslab
