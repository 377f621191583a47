// A Markov chain of order m over K symbols, L positions long: p(x) = p(x_1 .. x_m) times the product of
// p(x_i | x_{i-m} .. x_{i-1}). Posteriors by forward-backward over the last m symbols.
#pragma once

#include "models/exact/joint_model.h"

namespace canvaslab {

class MarkovModel : public JointModel {
 public:
  // `initial` [K^m] and `transition` [K^m, K]: a context is its symbols read as a number to the base K, the
  // latest one last. Rows are scaled to sum to 1. ConfigurationError when sizes do not fit, a value is
  // negative or not finite, a row sums to 0, or L < m.
  MarkovModel(int symbols, int order, int length, std::vector<double> initial,
              std::vector<double> transition);

  int length() const override { return length_; }
  int symbols() const override { return symbols_; }
  Posterior posterior(std::span<const double> evidence) const override;
  double log_probability(std::span<const TokenId> sequence) const override;
  std::optional<double> entropy() const override;

 private:
  // One vector [K^m] a position, from position m - 1 on.
  using Messages = std::vector<std::vector<double>>;

  Messages forward(std::span<const double> evidence, double& log_evidence) const;
  Messages backward(std::span<const double> evidence) const;
  size_t after(size_t context, size_t symbol) const { return (context * width_ + symbol) % contexts_; }

  int symbols_, order_, length_;
  size_t width_, contexts_;  // K, K^m
  std::vector<double> initial_, transition_;
};

}  // namespace canvaslab
