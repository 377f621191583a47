// Ranks a row's positions by a score, for the rules that commit the best of them.
#pragma once

#include <algorithm>
#include <vector>

#include "samplers/selection/selection_rule.h"

namespace canvaslab {

// The positions that the rule may decide, in order.
inline std::vector<int> undecided_positions(const SelectionInput& input) {
  std::vector<int> positions;
  for (int i = 0; i < static_cast<int>(input.undecided.size()); ++i) {
    if (input.undecided[i] != 0) positions.push_back(i);
  }
  return positions;
}

// `positions` with the highest score(position) first; equal scores keep their order.
template <class Score>
std::vector<int> ranked(const std::vector<int>& positions, Score score) {
  std::vector<std::pair<double, int>> scored;
  for (const int position : positions) scored.emplace_back(score(position), position);
  std::stable_sort(scored.begin(), scored.end(), [](auto a, auto b) { return a.first > b.first; });
  std::vector<int> order;
  for (const auto& [value, position] : scored) order.push_back(position);
  return order;
}

// Commits the sampled tokens of the first `count` positions of `order` and re-noises its others.
inline void commit_first(int count, const std::vector<int>& order, std::span<Decision> out) {
  for (int rank = 0; rank < static_cast<int>(order.size()); ++rank)
    out[order[rank]] = rank < count ? Decision::kCommitSampled : Decision::kRenoise;
}

// The largest probability of each position, c. At temperature 0, where that is 1 everywhere, it is the plain
// softmax's: the sampled token is then the most probable one. Rules that ask need `raw_probability`.
inline const std::vector<float>& confidence(const SelectionInput& input) {
  return input.temperature == 0 ? input.prediction.raw_sampled_probability : input.prediction.confidence;
}

// The probability of each position's sampled token; at temperature 0 the plain softmax's, as above.
inline const std::vector<float>& sampled_probability(const SelectionInput& input) {
  return input.temperature == 0 ? input.prediction.raw_sampled_probability
                                : input.prediction.sampled_probability;
}

}  // namespace canvaslab
