#include "experiments/tasks/ngram_model.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "core/error.h"
#include "models/tokenizer/utf8.h"

namespace canvaslab {
namespace {

constexpr unsigned kKeyBits = 60;

template <class Use>
void each_character(std::string_view text, Use use) {
  for (; !text.empty(); text.remove_prefix(utf8_length(text[0]))) use(first_character(text));
}

}  // namespace

NgramModel::NgramModel(int order, const std::vector<std::string_view>& texts)
    : order_(static_cast<size_t>(order)), counts_(order_ + 1) {
  for (const std::string_view text : texts) {
    each_character(text, [&](char32_t character) {
      symbols_.try_emplace(character, static_cast<std::uint32_t>(symbols_.size()));
    });
  }
  bits_ = static_cast<unsigned>(std::bit_width(symbols_.size()));
  if (order_ * bits_ > kKeyBits) {
    throw ConfigurationError(
        fmt::format("n-gram order: expected at most {} for a text of {} different characters, "
                    "got {}",
                    kKeyBits / bits_, symbols_.size(), order));
  }
  for (const std::string_view text : texts) count(text);
}

std::uint32_t NgramModel::symbol(char32_t character) const {
  const auto known = symbols_.find(character);
  return known == symbols_.end() ? static_cast<std::uint32_t>(symbols_.size()) : known->second;
}

std::uint64_t NgramModel::pack(const std::vector<std::uint32_t>& symbols, size_t end, size_t length) const {
  std::uint64_t key = 0;
  for (size_t i = end - length; i < end; ++i) key = key << bits_ | symbols[i];
  return key;
}

void NgramModel::count(std::string_view text) {
  std::vector<std::uint32_t> symbols;
  each_character(text, [&](char32_t character) { symbols.push_back(symbol(character)); });
  for (size_t end = 1; end <= symbols.size(); ++end) {
    for (size_t length = 1; length <= std::min(order_, end); ++length) {
      const bool first_time = counts_[length][pack(symbols, end, length)].seen++ == 0;
      Counts& context = counts_[length - 1][pack(symbols, end - 1, length - 1)];
      ++context.followed;
      context.followers += first_time ? 1 : 0;
    }
  }
}

double NgramModel::probability(const std::vector<std::uint32_t>& symbols, size_t at) const {
  double probability = 1.0 / (static_cast<double>(symbols_.size()) + 1);
  for (size_t length = 1; length <= std::min(order_, at + 1); ++length) {
    const Counts* context = counts_[length - 1].find(pack(symbols, at, length - 1));
    if (!context || context->followed == 0) break;
    const Counts* whole = counts_[length].find(pack(symbols, at + 1, length));
    probability = ((whole ? whole->seen : 0) + context->followers * probability) /
                  (static_cast<double>(context->followed) + context->followers);
  }
  return probability;
}

double NgramModel::nats_per_character(std::string_view before, std::string_view text) const {
  std::vector<std::uint32_t> symbols;
  const auto append = [&](char32_t character) { symbols.push_back(symbol(character)); };
  each_character(before, append);
  const size_t first = symbols.size();
  each_character(text, append);
  double nats = 0;
  for (size_t at = first; at < symbols.size(); ++at) nats -= std::log(probability(symbols, at));
  return nats / static_cast<double>(symbols.size() - first);
}

}  // namespace canvaslab
