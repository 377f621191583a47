// Random choices of several positions by their scores: Gumbel-top-k, and the law of what it chooses.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "samplers/selection/selection_rule.h"

namespace canvaslab {

// score / temperature plus Gumbel noise, -log(-log u): the k positions where it is largest are a draw of k
// without replacement, with weights exp(score / temperature). At temperature 0 the score itself. The uniform
// number is the position's number 0, moved off 0 and 1, where the noise is infinite.
inline double randomized(double score, double temperature, int position, SelectionDraws& draws) {
  if (temperature == 0) return score;
  const double u = std::clamp(draws.uniform(position, 0), 0x1.0p-54, 1 - 0x1.0p-53);
  return score / temperature - std::log(-std::log(u));
}

// The outcomes of committing `count` positions, drawn without replacement with weights softmax(scores), and
// re-noising the others. `positions` and their `scores` go in pairs; length is L.
inline std::vector<SelectionOutcome> outcomes_without_replacement(const std::vector<int>& positions,
                                                                  const std::vector<double>& scores,
                                                                  int count, size_t length) {
  std::vector<Decision> nothing(length, Decision::kKeep);
  for (const int position : positions) nothing[position] = Decision::kRenoise;
  std::map<std::vector<Decision>, double> law{{nothing, 1.0}};
  for (int drawn = 0; drawn < count; ++drawn) {
    std::map<std::vector<Decision>, double> longer;
    for (const auto& [decision, probability] : law) {
      double largest = -std::numeric_limits<double>::infinity(), sum = 0;
      const auto open = [&, &taken = decision](size_t k) {
        return taken[positions[k]] == Decision::kRenoise;
      };
      for (size_t k = 0; k < positions.size(); ++k)
        largest = open(k) ? std::max(largest, scores[k]) : largest;
      for (size_t k = 0; k < positions.size(); ++k) sum += open(k) ? std::exp(scores[k] - largest) : 0;
      for (size_t k = 0; k < positions.size(); ++k) {
        if (!open(k)) continue;
        std::vector<Decision> one_more = decision;
        one_more[positions[k]] = Decision::kCommitSampled;
        longer[one_more] += probability * std::exp(scores[k] - largest) / sum;
      }
    }
    law = std::move(longer);
  }
  std::vector<SelectionOutcome> outcomes;
  for (const auto& [decision, probability] : law) outcomes.push_back({probability, decision});
  return outcomes;
}

}  // namespace canvaslab
