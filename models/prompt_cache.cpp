#include "models/prompt_cache.h"

namespace canvaslab {

std::vector<std::unique_ptr<RowContext>> PromptCache::prefill(std::span<const Prompt> prompts) const {
  std::vector<std::unique_ptr<RowContext>> contexts;
  std::vector<Prompt> unread;
  std::vector<std::pair<size_t, Key>> places;  // of the unread
  for (const Prompt& prompt : prompts) {
    Key key{prompt.padding_before, {prompt.tokens.begin(), prompt.tokens.end()}};
    contexts.push_back(find(key));
    if (contexts.back() != nullptr) continue;
    unread.push_back(prompt);
    places.emplace_back(contexts.size() - 1, std::move(key));
  }
  if (unread.empty()) return contexts;
  std::vector<std::unique_ptr<RowContext>> fresh = denoiser_->prefill(unread);
  for (size_t i = 0; i < fresh.size(); ++i) {
    keep(places[i].second, *fresh[i]);
    contexts[places[i].first] = std::move(fresh[i]);
  }
  return contexts;
}

std::unique_ptr<RowContext> PromptCache::find(const Key& key) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(key);
  if (found == entries_.end()) return nullptr;
  order_.splice(order_.end(), order_, found->second.used);
  return found->second.context->clone();
}

void PromptCache::keep(const Key& key, const RowContext& context) const {
  const std::scoped_lock lock(mutex_);
  const size_t needed = context.bytes();
  if (needed > most_bytes_ || entries_.contains(key)) return;
  while (bytes_ + needed > most_bytes_) {
    const auto oldest = entries_.find(order_.front());
    bytes_ -= oldest->second.context->bytes();
    entries_.erase(oldest);
    order_.pop_front();
  }
  const auto used = order_.insert(order_.end(), key);
  entries_.emplace(key, Entry{context.clone(), used});
  bytes_ += needed;
}

}  // namespace canvaslab
