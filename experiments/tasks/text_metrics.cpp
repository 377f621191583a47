#include "experiments/tasks/text_metrics.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>

#include "models/tokenizer/utf8.h"

namespace canvaslab {
namespace {

struct Word {
  std::string text;
  bool cut;  // touches an end of the text
};

std::vector<Word> words_and_cuts(std::string_view text) {
  std::vector<Word> all;
  bool inside = false;
  for (size_t i = 0; i < text.size(); i += utf8_length(text[i])) {
    const bool was_inside = inside;
    inside = is_word_character(first_character(text.substr(i)));
    if (inside && !was_inside) all.push_back({"", i == 0});
    if (inside) all.back().text += text.substr(i, utf8_length(text[i]));
  }
  if (inside) all.back().cut = true;
  return all;
}

// Different sequences of n values per sequence; nothing when there is none.
std::optional<double> distinct_share(const std::vector<std::vector<std::string>>& texts, size_t n) {
  std::set<std::vector<std::string>> seen;
  size_t count = 0;
  for (const std::vector<std::string>& values : texts) {
    for (auto first = values.begin(); static_cast<size_t>(values.end() - first) >= n; ++first, ++count)
      seen.insert(std::vector<std::string>(first, first + static_cast<std::ptrdiff_t>(n)));
  }
  if (count == 0) return std::nullopt;
  return static_cast<double>(seen.size()) / static_cast<double>(count);
}

double entropy(const std::vector<std::string>& characters) {
  std::map<std::string, int> counts;
  for (const std::string& character : characters) ++counts[character];
  double nats = 0;
  for (const auto& [character, count] : counts) {
    const double share = static_cast<double>(count) / static_cast<double>(characters.size());
    nats -= share * std::log(share);
  }
  return nats;
}

}  // namespace

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> all;
  for (Word& word : words_and_cuts(text)) all.push_back(std::move(word.text));
  return all;
}

Metrics text_metrics(const std::string& answer, const std::set<std::string>& dictionary) {
  Metrics metrics;
  double whole = 0, known = 0;
  for (const Word& word : words_and_cuts(answer)) {
    if (word.cut) continue;
    ++whole;
    known += dictionary.contains(word.text) ? 1 : 0;
  }
  if (whole > 0) metrics.push_back({"dictionary_words", known / whole});
  std::vector<std::string> characters;
  for (size_t i = 0; i < answer.size(); i += utf8_length(answer[i]))
    characters.push_back(answer.substr(i, utf8_length(answer[i])));
  if (!characters.empty()) metrics.push_back({"entropy", entropy(characters)});
  for (Metric& metric : distinct_words({answer}, "distinct_{}")) metrics.push_back(std::move(metric));
  if (const auto share = distinct_share({characters}, 4)) metrics.push_back({"repeats", 1 - *share});
  return metrics;
}

Metrics distinct_words(const std::vector<std::string>& texts, const std::string& name) {
  std::vector<std::vector<std::string>> all;
  for (const std::string& text : texts) all.push_back(words(text));
  Metrics metrics;
  for (size_t n = 1; n <= 3; ++n) {
    if (const auto share = distinct_share(all, n))
      metrics.push_back({fmt::format(fmt::runtime(name), n), *share});
  }
  return metrics;
}

}  // namespace canvaslab
