// Open addressing over one string that holds every token: loading 262,144 tokens must not make as many
// allocations.
#include "models/tokenizer/vocabulary.h"

#include <functional>
#include <utility>

namespace canvaslab {

namespace {

std::uint32_t tag_of(std::size_t hash) {
  return static_cast<std::uint32_t>(hash >> 32);
}

}  // namespace

TokenStrings::TokenStrings() : slots_(16) {}

std::string_view TokenStrings::text_of(TokenId id) const {
  const Span& span = spans_[static_cast<std::size_t>(id)];
  return std::string_view(text_).substr(span.offset, span.length);
}

std::size_t TokenStrings::slot(std::string_view text, std::size_t hash) const {
  std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].id >= 0 && (slots_[at].tag != tag_of(hash) || text_of(slots_[at].id) != text))
    at = (at + 1) & mask;
  return at;
}

void TokenStrings::grow() {
  std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
  for (const Slot& entry : old) {
    if (entry.id < 0) continue;
    std::string_view text = text_of(entry.id);
    slots_[slot(text, std::hash<std::string_view>{}(text))] = entry;
  }
}

TokenStrings::Added TokenStrings::add(std::string_view text, std::int64_t id) {
  if (id < 0 || id >= kIdLimit) return Added::kIdOutOfRange;
  auto index = static_cast<std::size_t>(id);
  if (index < spans_.size() && spans_[index].length != kAbsent) return Added::kIdTaken;
  std::size_t hash = std::hash<std::string_view>{}(text);
  if (slots_[slot(text, hash)].id >= 0) return Added::kTextTaken;

  if (2 * (size_ + 1) > slots_.size()) grow();
  if (index >= spans_.size()) spans_.resize(index + 1);
  spans_[index] = {text_.size(), static_cast<std::uint32_t>(text.size())};
  text_ += text;
  slots_[slot(text, hash)] = {static_cast<TokenId>(id), tag_of(hash)};
  ++size_;
  return Added::kYes;
}

std::optional<TokenId> TokenStrings::id(std::string_view text) const {
  TokenId found = slots_[slot(text, std::hash<std::string_view>{}(text))].id;
  return found < 0 ? std::nullopt : std::optional(found);
}

std::optional<std::string_view> TokenStrings::token(TokenId id) const {
  if (id < 0 || static_cast<std::size_t>(id) >= spans_.size()) return std::nullopt;
  if (spans_[static_cast<std::size_t>(id)].length == kAbsent) return std::nullopt;
  return text_of(id);
}

}  // namespace canvaslab
