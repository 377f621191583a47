#include "models/exact/markov_model.h"

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"
#include "models/exact/probabilities.h"

namespace canvaslab {
namespace {

constexpr double kMostContexts = 1 << 20;

}  // namespace

MarkovModel::MarkovModel(int symbols, int order, int length, std::vector<double> initial,
                         std::vector<double> transition)
    : symbols_(symbols),
      order_(order),
      length_(length),
      width_(static_cast<size_t>(symbols)),
      contexts_(1),
      initial_(std::move(initial)),
      transition_(std::move(transition)) {
  if (symbols < 1 || order < 1 || std::pow(symbols, order) > kMostContexts) {
    throw ConfigurationError(fmt::format(
        "a Markov chain of order {} over {} symbols: expected at least 1 of each, and at most {} contexts",
        order, symbols, kMostContexts));
  }
  for (int i = 0; i < order; ++i) contexts_ *= width_;
  if (length < order)
    throw ConfigurationError(fmt::format("a Markov chain of order {} has {} positions", order, length));
  if (initial_.size() != contexts_ || transition_.size() != contexts_ * width_) {
    throw ConfigurationError(
        fmt::format("a Markov chain of order {} over {} symbols has {} initial and {} transition values, "
                    "expected {} and {}",
                    order, symbols, initial_.size(), transition_.size(), contexts_, contexts_ * width_));
  }
  normalise_rows(initial_, contexts_, "a Markov chain's initial probabilities");
  normalise_rows(transition_, width_, "a Markov chain's transition probabilities");
}

// p(context at i, evidence up to i), scaled to sum to 1 at every position.
MarkovModel::Messages MarkovModel::forward(std::span<const double> evidence, double& log_evidence) const {
  const auto first = static_cast<size_t>(order_) - 1;
  Messages messages(static_cast<size_t>(length_) - first, std::vector<double>(contexts_, 0.0));
  for (size_t context = 0; context < contexts_; ++context) {
    double mass = initial_[context];
    size_t rest = context;
    for (size_t i = first + 1; i-- > 0; rest /= width_) mass *= evidence[i * width_ + rest % width_];
    messages[0][context] = mass;
  }
  log_evidence = std::log(normalise(messages[0]));
  for (size_t t = 1; t < messages.size(); ++t) {
    const std::span<const double> seen = evidence.subspan((first + t) * width_, width_);
    for (size_t context = 0; context < contexts_; ++context) {
      const double mass = messages[t - 1][context];
      if (mass == 0) continue;
      for (size_t v = 0; v < width_; ++v)
        messages[t][after(context, v)] += mass * transition_[context * width_ + v] * seen[v];
    }
    log_evidence += std::log(normalise(messages[t]));
  }
  return messages;
}

// p(evidence after i | context at i), up to a factor.
MarkovModel::Messages MarkovModel::backward(std::span<const double> evidence) const {
  const auto first = static_cast<size_t>(order_) - 1;
  Messages messages(static_cast<size_t>(length_) - first, std::vector<double>(contexts_, 1.0));
  for (size_t t = messages.size() - 1; t-- > 0;) {
    const std::span<const double> seen = evidence.subspan((first + t + 1) * width_, width_);
    for (size_t context = 0; context < contexts_; ++context) {
      double mass = 0;
      for (size_t v = 0; v < width_; ++v)
        mass += transition_[context * width_ + v] * seen[v] * messages[t + 1][after(context, v)];
      messages[t][context] = mass;
    }
    normalise(messages[t]);
  }
  return messages;
}

Posterior MarkovModel::posterior(std::span<const double> evidence) const {
  Posterior result{std::vector<double>(evidence.size(), 0.0), 0};
  const Messages ahead = forward(evidence, result.log_evidence);
  if (!(result.log_evidence > kImpossible)) {
    result.log_evidence = kImpossible;
    return result;
  }
  const Messages behind = backward(evidence);
  const auto first = static_cast<size_t>(order_) - 1;
  for (size_t t = 0; t < ahead.size(); ++t) {
    for (size_t context = 0; context < contexts_; ++context) {
      const double mass = ahead[t][context] * behind[t][context];
      result.marginals[(first + t) * width_ + context % width_] += mass;
      if (t > 0) continue;
      size_t rest = context / width_;
      for (size_t i = first; i-- > 0; rest /= width_) result.marginals[i * width_ + rest % width_] += mass;
    }
  }
  for (size_t i = 0; i < static_cast<size_t>(length_); ++i)
    normalise(std::span(result.marginals).subspan(i * width_, width_));
  return result;
}

double MarkovModel::log_probability(std::span<const TokenId> sequence) const {
  size_t context = 0;
  for (int i = 0; i < order_; ++i)
    context = context * width_ + static_cast<size_t>(sequence[static_cast<size_t>(i)]);
  double sum = std::log(initial_[context]);
  for (size_t i = static_cast<size_t>(order_); i < sequence.size(); ++i) {
    const auto symbol = static_cast<size_t>(sequence[i]);
    sum += std::log(transition_[context * width_ + symbol]);
    context = after(context, symbol);
  }
  return sum;
}

// H(x_1 .. x_m) and then the chain rule: each further symbol given its context.
std::optional<double> MarkovModel::entropy() const {
  double total = entropy_of(initial_);
  std::vector<double> contexts = initial_;
  for (int i = order_; i < length_; ++i) {
    std::vector<double> next(contexts_, 0.0);
    for (size_t context = 0; context < contexts_; ++context) {
      const std::span row = std::span(transition_).subspan(context * width_, width_);
      total += contexts[context] * entropy_of(row);
      for (size_t v = 0; v < width_; ++v) next[after(context, v)] += contexts[context] * row[v];
    }
    contexts = std::move(next);
  }
  return total;
}

}  // namespace canvaslab
