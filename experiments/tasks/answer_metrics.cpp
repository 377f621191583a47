#include "experiments/tasks/answer_metrics.h"

#include "models/tokenizer/utf8.h"

namespace canvaslab {

Metric exact_match(const std::string& target, const std::string& answer) {
  return {"exact", target == answer ? 1.0 : 0.0, MetricKind::kShare};
}

Metric token_accuracy(const std::string& target, const std::string& answer) {
  double same = 0, count = 0;
  size_t there = 0;  // in the answer
  for (size_t i = 0; i < target.size(); ++count) {
    const size_t length = utf8_length(target[i]);
    if (there < answer.size()) {
      const size_t found = utf8_length(answer[there]);
      same += target.compare(i, length, answer, there, found) == 0 ? 1 : 0;
      there += found;
    }
    i += length;
  }
  return {"token_accuracy", same / count, MetricKind::kMean};
}

}  // namespace canvaslab
