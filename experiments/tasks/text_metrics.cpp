#include "experiments/tasks/text_metrics.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <span>

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

template <class T>
double distinct_share(const std::vector<T>& values, size_t n) {
  std::set<std::vector<T>> seen;
  const size_t count = values.size() - n + 1;
  for (size_t i = 0; i < count; ++i) seen.insert(std::vector<T>(values.begin() + i, values.begin() + i + n));
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
  const std::vector<std::string> all_words = words(answer);
  for (size_t n = 1; n <= 3 && n <= all_words.size(); ++n)
    metrics.push_back({fmt::format("distinct_{}", n), distinct_share(all_words, n)});
  if (characters.size() >= 4) metrics.push_back({"repeats", 1 - distinct_share(characters, 4)});
  return metrics;
}

}  // namespace canvaslab
