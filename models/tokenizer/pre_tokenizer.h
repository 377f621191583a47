// Cuts text into the words within which tokens are merged.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/tokenizer/normalizer.h"
#include "models/tokenizer/section.h"

namespace canvaslab {

// The "pre_tokenizer" section. Supported kinds: Split (at a string), Metaspace, WhitespaceSplit, Sequence of
// them.
class PreTokenizer {
 public:
  using Word = std::function<void(std::string_view)>;

  // `top` is the whole document; its "pre_tokenizer" may be null. Throws ConfigurationError for other kinds.
  explicit PreTokenizer(const Section& top);

  // Calls `word` for each word of `text`, in order; none is empty. `at_start`: the text is the beginning of
  // the input, not what follows an added token.
  void split(std::string_view text, bool at_start, const Word& word) const;

 private:
  enum class Behavior { kRemoved, kIsolated, kMergedWithPrevious, kMergedWithNext, kContiguous };
  enum class Prefix { kNever, kFirst, kAlways };

  // A stretch of the text, and whether it is a separator.
  struct Stretch {
    std::size_t begin;
    std::size_t end;
    bool separator;
  };
  struct Split {
    std::string pattern;
    Behavior behavior;
    bool invert;
  };
  struct Metaspace {
    ReplaceText replace;
    Prefix prefix;
    bool split;
  };
  struct WhitespaceSplit {};
  using Operation = std::variant<Split, Metaspace, WhitespaceSplit>;

  static std::vector<Stretch> stretches(std::string_view text, std::string_view pattern);
  static std::vector<Stretch> white_space_stretches(std::string_view text);
  static std::vector<Stretch> arrange(std::vector<Stretch> stretches, Behavior behavior);
  static std::vector<Stretch> cut(const Split& split, std::string_view text);
  static Behavior behavior_of(const Section& section);

  void add(const Section& section);
  void add_metaspace(const Section& section);
  void split_from(std::size_t operation, std::string_view text, bool at_start, const Word& word) const;

  std::vector<Operation> operations_;
};

}  // namespace canvaslab
