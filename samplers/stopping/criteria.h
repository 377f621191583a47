// Lists of stopping criteria, for the criteria that ask several others.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "core/registry.h"
#include "samplers/stopping/stopping_criterion.h"

namespace canvaslab {

class Criteria {
 public:
  struct Config {
    std::vector<std::unique_ptr<StoppingCriterion>> criteria;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("criteria", criteria, {.meaning = "the criteria that are asked, [{name: max_steps}, ...]"});
    }
  };

  // ConfigurationError when the list is empty or has a null.
  explicit Criteria(Config config) : criteria_(std::move(config.criteria)) {
    if (criteria_.empty()) throw ConfigurationError("criteria is empty; expected at least one criterion");
    for (size_t i = 0; i < criteria_.size(); ++i) {
      if (!criteria_[i])
        throw ConfigurationError(fmt::format("criteria.{} is null; expected a criterion", i));
    }
  }

  // How many of them stop, and what any of them says of stability and confidence.
  struct Answer {
    size_t stops = 0;
    StopSignal signal;
  };

  Answer ask(const History& history) const {
    Answer answer;
    for (const auto& criterion : criteria_) {
      const StopSignal one = criterion->check(history);
      answer.stops += one.stop ? 1 : 0;
      answer.signal.stable = answer.signal.stable || one.stable;
      answer.signal.confident = answer.signal.confident || one.confident;
    }
    return answer;
  }

  size_t size() const { return criteria_.size(); }

  // The largest of theirs.
  int lookback() const {
    int steps = 0;
    for (const auto& criterion : criteria_) steps = std::max(steps, criterion->lookback());
    return steps;
  }

 private:
  std::vector<std::unique_ptr<StoppingCriterion>> criteria_;
};

}  // namespace canvaslab
