// Random joint models for tests, and the same distribution written out sequence by sequence.
#pragma once

#include <memory>
#include <random>
#include <vector>

#include "models/exact/hidden_markov_model.h"
#include "models/exact/markov_model.h"
#include "models/exact/table_model.h"

namespace canvaslab {

inline std::vector<double> random_values(size_t count, std::mt19937& random) {
  std::exponential_distribution<double> exponential;
  std::vector<double> values(count);
  for (double& value : values) value = exponential(random) + 1e-3;
  return values;
}

inline size_t power(size_t base, int exponent) {
  size_t result = 1;
  for (int i = 0; i < exponent; ++i) result *= base;
  return result;
}

inline MarkovModel random_chain(int symbols, int order, int length, std::mt19937& random) {
  const size_t width = static_cast<size_t>(symbols), contexts = power(width, order);
  return {symbols, order, length, random_values(contexts, random), random_values(contexts * width, random)};
}

inline HiddenMarkovModel random_hidden_chain(int symbols, size_t states, int length, std::mt19937& random) {
  return {symbols, length, random_values(states, random), random_values(states * states, random),
          random_values(states * static_cast<size_t>(symbols), random)};
}

// Every sequence of L out of K symbols, in order.
inline std::vector<std::vector<TokenId>> all_sequences(int symbols, int length) {
  std::vector<std::vector<TokenId>> all(power(static_cast<size_t>(symbols), length));
  for (size_t n = 0; n < all.size(); ++n) {
    all[n].resize(static_cast<size_t>(length));
    size_t rest = n;
    for (size_t i = all[n].size(); i-- > 0; rest /= static_cast<size_t>(symbols))
      all[n][i] = static_cast<TokenId>(rest % static_cast<size_t>(symbols));
  }
  return all;
}

// A table over all sequences with random weights.
inline TableModel random_table(int symbols, int length, std::mt19937& random) {
  std::vector<TableModel::Row> rows;
  for (std::vector<TokenId>& sequence : all_sequences(symbols, length))
    rows.push_back({std::move(sequence), random_values(1, random)[0]});
  return {symbols, std::move(rows)};
}

}  // namespace canvaslab
