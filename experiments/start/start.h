// The config group `start`: what the first canvas of every sample holds before the first step.
#pragma once

#include <cstdint>
#include <vector>

#include "core/vocabulary.h"
#include "experiments/tasks/task.h"
#include "models/tokenizer/tokenizer.h"

namespace canvaslab {

class Start {
 public:
  virtual ~Start() = default;

  // A canvas [length] for every item; an empty one is drawn from the noise process. A canvas follows from the
  // seed and its item's place in the list. ConfigurationError when an item does not allow for what is asked.
  virtual std::vector<std::vector<TokenId>> canvases(const std::vector<TaskItem>& items,
                                                     const Tokenizer& tokenizer, const Vocabulary& vocabulary,
                                                     std::int64_t length, std::uint64_t seed) const = 0;
};

}  // namespace canvaslab
