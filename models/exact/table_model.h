// Any joint distribution, given as a list of sequences with their probabilities; every question is answered
// by going through the list.
#pragma once

#include "models/exact/joint_model.h"

namespace canvaslab {

class TableModel : public JointModel {
 public:
  struct Row {
    std::vector<TokenId> sequence;  // [L]
    double weight = 0;              // probabilities are weights over their sum
  };

  // ConfigurationError when there is no row, lengths differ, a symbol is outside 0 .. symbols - 1, a weight
  // is not a positive number, or a sequence comes twice.
  TableModel(int symbols, std::vector<Row> rows);

  int length() const override { return static_cast<int>(rows_.front().sequence.size()); }
  int symbols() const override { return symbols_; }
  Posterior posterior(std::span<const double> evidence) const override;
  double log_probability(std::span<const TokenId> sequence) const override;
  std::optional<double> entropy() const override;

  const std::vector<Row>& rows() const { return rows_; }  // weights sum to 1; sorted by sequence

 private:
  int symbols_;
  std::vector<Row> rows_;
};

}  // namespace canvaslab
