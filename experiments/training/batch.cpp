#include "experiments/training/batch.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/random/counter_random.h"
#include "experiments/tasks/encode_example.h"
#include "samplers/noise/corrupt.h"

namespace canvaslab {
std::vector<TrainingRow> BatchMaker::rows(std::int64_t step, int batch, int first, int last) const {
  CounterRandom random(seed);
  const StreamKey whole{.sample = static_cast<std::uint64_t>(step), .canvas = 0, .step = 0};
  const double shift = random.uniform(whole, Purpose::kTrainingTime, 0);
  const auto length = static_cast<size_t>(canvas_length);
  std::vector<TrainingRow> rows;
  for (int b = first; b < last; ++b) {
    const auto index =
        static_cast<std::uint64_t>(step) * static_cast<std::uint64_t>(batch) + static_cast<std::uint64_t>(b);
    const std::optional<TaskItem> item = task.example(split, index);
    if (!item) throw ConfigurationError("task: this task has no examples to train on");
    const EncodedExample example = encode_example(*item, tokenizer, canvas_length);
    if (example.prompt.empty()) {
      throw ConfigurationError(
          fmt::format("example {}: its prompt has no token, and the first token of an answer is predicted "
                      "from the prompt's "
                      "last",
                      item->id));
    }
    TrainingRow row;
    row.prompt = example.prompt;
    row.clean = answer_on_canvas(example.target, vocabulary, canvas_length);
    row.spoken = std::min(static_cast<std::int64_t>(example.target.size()) + 1, canvas_length);
    const StreamKey key{.sample = index, .canvas = 0, .step = 0};
    row.time = (b + shift) / batch;
    row.survival = noise_schedule.survival(row.time), row.rate = noise_schedule.rate(row.time);
    row.conditioned = random.uniform(key, Purpose::kTrainingConditioning, 0) < self_conditioning;
    std::vector<TokenId> fresh(length);
    noise.draw({&key, 1}, Purpose::kTrainingNoise, vocabulary, canvas_length, random, fresh);
    std::vector<double> uniforms;
    for (std::uint32_t i = 0; i < length; ++i)
      uniforms.push_back(random.uniform(key, Purpose::kTrainingCorruption, i));
    row.noisy = row.clean;
    corrupt(row.noisy, std::vector<double>(length, 1 - row.survival), uniforms, fresh);
    for (const TokenId token : row.noisy) row.counted.push_back(noise.undecided(token, vocabulary) ? 1 : 0);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace canvaslab
