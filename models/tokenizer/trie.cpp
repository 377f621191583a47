// The first byte is looked up in a plain array: in ordinary text almost no place gets further.
#include "models/tokenizer/trie.h"

namespace canvaslab {

Trie::Trie() : values_(1, kNone) {}

std::uint32_t Trie::child(std::uint32_t node, unsigned char byte) const {
  const std::uint32_t* found = children_.find(std::uint64_t{node} << 8 | byte);
  return found == nullptr ? 0 : *found;
}

void Trie::add(std::string_view text, int value) {
  std::uint32_t node = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    std::uint32_t& next = i == 0 ? first_[byte] : children_[std::uint64_t{node} << 8 | byte];
    if (next == 0) {
      next = static_cast<std::uint32_t>(values_.size());
      values_.push_back(kNone);
    }
    node = next;
  }
  if (values_[node] == kNone) values_[node] = value;
}

Trie::Match Trie::find(std::string_view text, std::size_t start) const {
  for (std::size_t begin = start; begin < text.size(); ++begin) {
    std::uint32_t node = first_[static_cast<unsigned char>(text[begin])];
    Match longest{begin, begin, kNone};
    for (std::size_t end = begin + 1; node != 0; ++end) {
      if (values_[node] != kNone) longest = {begin, end, values_[node]};
      if (end == text.size()) break;
      node = child(node, static_cast<unsigned char>(text[end]));
    }
    if (longest.value != kNone) return longest;
  }
  return {text.size(), text.size(), kNone};
}

}  // namespace canvaslab
