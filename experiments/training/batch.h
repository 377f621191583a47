// One batch of training: clean answers, their noisy versions, and at what level of noise each is. A function
// of (seed, step) alone, whatever ran before.
#pragma once

#include <cstdint>
#include <vector>

#include "core/vocabulary.h"
#include "experiments/tasks/task.h"
#include "models/tokenizer/tokenizer.h"
#include "samplers/noise/noise_process.h"
#include "schedules/noise/noise_schedule.h"

namespace canvaslab {

struct TrainingRow {
  std::vector<TokenId> prompt;        // [S] with special tokens
  std::vector<TokenId> clean;         // [L]: the answer, the end and padding where it is shorter
  std::int64_t spoken = 0;            // tokens of the answer with its end: what the causal loss counts
  std::vector<TokenId> noisy;         // [L]
  std::vector<std::uint8_t> counted;  // [L] positions that the denoising loss counts
  double time = 0;                    // t
  double survival = 1, rate = 0;      // alpha and -alpha' at t
  bool conditioned = false;           // sees a first prediction
};

// What batches are made of; everything outlives the maker.
struct BatchMaker {
  const Task& task;
  const Tokenizer& tokenizer;
  const Vocabulary& vocabulary;
  const NoiseProcess& noise;
  const NoiseSchedule& noise_schedule;
  std::int64_t canvas_length;
  double self_conditioning;
  std::uint64_t seed;
  Split split = Split::kTrain;

  // Rows first .. last - 1 of the `batch` rows of step `step`. Times are stratified: one in every B-th part
  // of (0, 1), at a place that all rows share. ConfigurationError when an example does not fit.
  std::vector<TrainingRow> rows(std::int64_t step, int batch, int first, int last) const;
};

}  // namespace canvaslab
