// Metrics that compare an answer with a target.
#pragma once

#include <string>

#include "experiments/metrics.h"

namespace canvaslab {

// "exact": 1 when the answer is the target.
Metric exact_match(const std::string& target, const std::string& answer);

// "token_accuracy": the share of the target's characters that the answer has at the same place. `target` must
// not be empty.
Metric token_accuracy(const std::string& target, const std::string& answer);

}  // namespace canvaslab
