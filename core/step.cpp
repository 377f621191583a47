#include "core/step.h"

namespace canvaslab {
namespace {

// Of a statistic that was not asked for, nothing.
template <typename T>
std::vector<T> part(const std::vector<T>& whole, std::int64_t begin, std::int64_t length) {
  if (whole.empty()) return {};
  return {whole.begin() + begin, whole.begin() + begin + length};
}

}  // namespace

std::vector<Prediction> split(const Prediction& packed, std::span<const std::int64_t> lengths) {
  std::vector<Prediction> rows;
  std::int64_t begin = 0;
  for (const std::int64_t length : lengths) {
    rows.push_back({.argmax = part(packed.argmax, begin, length),
                    .sampled = part(packed.sampled, begin, length),
                    .entropy = part(packed.entropy, begin, length),
                    .confidence = part(packed.confidence, begin, length),
                    .margin = part(packed.margin, begin, length),
                    .sampled_probability = part(packed.sampled_probability, begin, length),
                    .current_probability = part(packed.current_probability, begin, length),
                    .raw_sampled_probability = part(packed.raw_sampled_probability, begin, length)});
    begin += length;
  }
  return rows;
}

}  // namespace canvaslab
