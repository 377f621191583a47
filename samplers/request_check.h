// What every sampler demands of a request: that it fits the model and its vocabulary.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/vocabulary.h"
#include "models/denoiser.h"
#include "samplers/sample.h"

namespace canvaslab {

// The first id outside the vocabulary, or null.
const TokenId* first_outside(std::span<const TokenId> ids, const Vocabulary& vocabulary);

// ConfigurationError naming `what` and the first id outside the vocabulary.
void check_ids(std::span<const TokenId> ids, const Vocabulary& vocabulary, const std::string& what);

// What a sample's answer takes up.
struct AnswerRoom {
  std::int64_t positions = 0;
  std::string text;  // as a message calls it: "2 canvases of 256"
  std::int64_t max_new_tokens = 0;
};

// ConfigurationError when prompt and answer do not fit the model's positions, or an id is outside the
// vocabulary.
void check_request(const SampleRequest& request, const Denoiser& denoiser, const Vocabulary& vocabulary,
                   const AnswerRoom& answer);

}  // namespace canvaslab
