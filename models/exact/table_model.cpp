#include "models/exact/table_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "models/exact/probabilities.h"

namespace canvaslab {

TableModel::TableModel(int symbols, std::vector<Row> rows) : symbols_(symbols), rows_(std::move(rows)) {
  if (rows_.empty()) throw ConfigurationError("a table of sequences is empty");
  double sum = 0;
  for (const Row& row : rows_) {
    if (row.sequence.size() != rows_.front().sequence.size()) {
      throw ConfigurationError(fmt::format("a table of sequences has one of {} symbols and one of {}",
                                           rows_.front().sequence.size(), row.sequence.size()));
    }
    for (const TokenId symbol : row.sequence) {
      if (symbol < 0 || symbol >= symbols) {
        throw ConfigurationError(
            fmt::format("a table of sequences holds symbol {}, expected 0 to {}", symbol, symbols - 1));
      }
    }
    if (!(row.weight > 0) || !std::isfinite(row.weight))
      throw ConfigurationError(fmt::format("a table of sequences holds the weight {}", row.weight));
    sum += row.weight;
  }
  for (Row& row : rows_) row.weight /= sum;
  std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.sequence < b.sequence; });
  const auto twice = std::adjacent_find(rows_.begin(), rows_.end(),
                                        [](const Row& a, const Row& b) { return a.sequence == b.sequence; });
  if (twice != rows_.end()) throw ConfigurationError("a table of sequences holds one of them twice");
}

Posterior TableModel::posterior(std::span<const double> evidence) const {
  const auto width = static_cast<size_t>(symbols_);
  Posterior result{std::vector<double>(evidence.size(), 0.0), 0};
  double total = 0;
  for (const Row& row : rows_) {
    double mass = row.weight;
    for (size_t i = 0; i < row.sequence.size() && mass > 0; ++i)
      mass *= evidence[i * width + static_cast<size_t>(row.sequence[i])];
    if (mass == 0) continue;
    total += mass;
    for (size_t i = 0; i < row.sequence.size(); ++i)
      result.marginals[i * width + static_cast<size_t>(row.sequence[i])] += mass;
  }
  result.log_evidence = std::log(total);
  if (total > 0)
    for (double& marginal : result.marginals) marginal /= total;
  return result;
}

double TableModel::log_probability(std::span<const TokenId> sequence) const {
  const auto found = std::lower_bound(rows_.begin(), rows_.end(), sequence, [](const Row& row, auto wanted) {
    return std::lexicographical_compare(row.sequence.begin(), row.sequence.end(), wanted.begin(),
                                        wanted.end());
  });
  const bool there = found != rows_.end() && std::equal(sequence.begin(), sequence.end(),
                                                        found->sequence.begin(), found->sequence.end());
  return there ? std::log(found->weight) : kImpossible;
}

std::optional<double> TableModel::entropy() const {
  double sum = 0;
  for (const Row& row : rows_) sum -= row.weight * std::log(row.weight);
  return sum;
}

}  // namespace canvaslab
