#include "models/exact/hidden_markov_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "models/exact/probabilities.h"

namespace canvaslab {

HiddenMarkovModel::HiddenMarkovModel(int symbols, int length, std::vector<double> initial,
                                     std::vector<double> transition, std::vector<double> emission)
    : length_(length),
      width_(static_cast<size_t>(symbols)),
      states_(initial.size()),
      initial_(std::move(initial)),
      transition_(std::move(transition)),
      emission_(std::move(emission)) {
  if (symbols < 1 || length < 1 || states_ == 0 || transition_.size() != states_ * states_ ||
      emission_.size() != states_ * width_) {
    throw ConfigurationError(fmt::format(
        "a hidden Markov model of {} states over {} symbols, {} positions long, has {} transition and {} "
        "emission values, expected {} and {}",
        states_, symbols, length, transition_.size(), emission_.size(), states_ * states_, states_ * width_));
  }
  normalise_rows(initial_, states_, "a hidden Markov model's initial probabilities");
  normalise_rows(transition_, states_, "a hidden Markov model's transition probabilities");
  normalise_rows(emission_, width_, "a hidden Markov model's emission probabilities");
}

Posterior HiddenMarkovModel::posterior(std::span<const double> evidence) const {
  const auto length = static_cast<size_t>(length_);
  // seen [L, S]: p(what was observed at i | state)
  std::vector<double> seen(length * states_, 0.0);
  for (size_t i = 0; i < length; ++i)
    for (size_t s = 0; s < states_; ++s)
      for (size_t v = 0; v < width_; ++v)
        seen[i * states_ + s] += emission_[s * width_ + v] * evidence[i * width_ + v];

  Posterior result{std::vector<double>(evidence.size(), 0.0), 0};
  std::vector<double> before(length * states_);  // p(state at i | evidence before i)
  std::vector<double> now = initial_;
  for (size_t i = 0; i < length; ++i) {
    std::copy(now.begin(), now.end(), before.begin() + static_cast<std::ptrdiff_t>(i * states_));
    for (size_t s = 0; s < states_; ++s) now[s] *= seen[i * states_ + s];
    result.log_evidence += std::log(normalise(now));
    std::vector<double> next(states_, 0.0);
    for (size_t s = 0; s < states_; ++s)
      for (size_t to = 0; to < states_; ++to) next[to] += now[s] * transition_[s * states_ + to];
    now = std::move(next);
  }
  if (!(result.log_evidence > kImpossible)) {
    result.log_evidence = kImpossible;
    return result;
  }
  std::vector<double> behind(states_, 1.0);  // p(evidence after i | state at i), up to a factor
  for (size_t i = length; i-- > 0;) {
    const std::span row = std::span(result.marginals).subspan(i * width_, width_);
    for (size_t s = 0; s < states_; ++s)
      for (size_t v = 0; v < width_; ++v)
        row[v] += before[i * states_ + s] * behind[s] * emission_[s * width_ + v] * evidence[i * width_ + v];
    normalise(row);
    std::vector<double> earlier(states_, 0.0);
    for (size_t s = 0; s < states_; ++s)
      for (size_t to = 0; to < states_; ++to)
        earlier[s] += transition_[s * states_ + to] * seen[i * states_ + to] * behind[to];
    normalise(earlier);
    behind = std::move(earlier);
  }
  return result;
}

double HiddenMarkovModel::log_probability(std::span<const TokenId> sequence) const {
  return posterior(seen_evidence(sequence, width_)).log_evidence;
}

}  // namespace canvaslab
