// What happens to text before it is tokenized: replacements, a prefix, trimming.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/tokenizer/section.h"

namespace canvaslab {

// Replaces every occurrence of `pattern`, from the left, without overlaps.
struct ReplaceText {
  std::string pattern;
  std::string content;

  std::string apply(std::string_view text) const;
};

// The "normalizer" section. Supported kinds: Replace (of a string), Prepend, Strip, Sequence of them.
class Normalizer {
 public:
  // `top` is the whole document; its "normalizer" may be null. Throws ConfigurationError for other kinds.
  explicit Normalizer(const Section& top);

  bool empty() const { return operations_.empty(); }
  std::string apply(std::string_view text) const;

 private:
  struct Prepend {
    std::string prefix;  // put before text that is not empty
    std::string apply(std::string_view text) const;
  };
  struct Strip {
    bool left = false;
    bool right = false;
    std::string apply(std::string_view text) const;
  };

  void add(const Section& section);

  std::vector<std::variant<ReplaceText, Prepend, Strip>> operations_;
};

}  // namespace canvaslab
