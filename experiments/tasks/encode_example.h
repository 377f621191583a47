// An example as token ids, ready to train on.
#pragma once

#include <cstdint>
#include <vector>

#include "core/step.h"
#include "core/vocabulary.h"
#include "experiments/tasks/task.h"
#include "models/tokenizer/tokenizer.h"

namespace canvaslab {

struct EncodedExample {
  std::vector<TokenId> prompt;  // with the tokenizer's special tokens
  std::vector<TokenId> target;  // without; at most the canvas, never padded
};

// The prompt's ids, with special tokens. ConfigurationError naming the item and the character that the
// tokenizer does not know.
std::vector<TokenId> encode_prompt(const TaskItem& item, const Tokenizer& tokenizer);

// ConfigurationError as encode_prompt, and when the target has more than `canvas_length` tokens (with both
// numbers and the item's id).
EncodedExample encode_example(const TaskItem& item, const Tokenizer& tokenizer, std::int64_t canvas_length);

// The answer on a canvas [length]: where it is shorter, the end of the sequence and padding follow.
// ConfigurationError when the vocabulary has none of these.
std::vector<TokenId> answer_on_canvas(const std::vector<TokenId>& answer, const Vocabulary& vocabulary,
                                      std::int64_t length);

}  // namespace canvaslab
