// What can be said of a text without knowing which one was wanted.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/metrics.h"

namespace canvaslab {

// The words of a text: runs of letters, digits and marks.
std::vector<std::string> words(std::string_view text);

// Of an answer, valid UTF-8; those that it is too short for are left out:
//   dictionary_words   share of its words that `dictionary` has; the first and the last count only where the
//                      answer goes on before or after them, since the canvas may have cut them
//   entropy            of its characters' frequencies, in nats
//   distinct_1, 2, 3   different n-grams of words per n-gram
//   repeats            share of its sequences of four characters that it had before
Metrics text_metrics(const std::string& answer, const std::set<std::string>& dictionary);

// Different n-grams of words per n-gram, n from 1 to 3, of several texts together; none reaches from one into
// the next. `name` has a {} for n. Those that all texts are too short for are left out.
Metrics distinct_words(const std::vector<std::string>& texts, const std::string& name);

}  // namespace canvaslab
