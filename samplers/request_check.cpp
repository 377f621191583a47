#include "samplers/request_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace canvaslab {

const TokenId* first_outside(std::span<const TokenId> ids, const Vocabulary& vocabulary) {
  const auto found =
      std::find_if(ids.begin(), ids.end(), [&](TokenId id) { return id < 0 || id >= vocabulary.size; });
  return found == ids.end() ? nullptr : &*found;
}

void check_ids(std::span<const TokenId> ids, const Vocabulary& vocabulary, const std::string& what) {
  if (const TokenId* id = first_outside(ids, vocabulary)) {
    throw ConfigurationError(
        fmt::format("{}: id {} is outside the vocabulary of {} entries", what, *id, vocabulary.size));
  }
}

void check_request(const SampleRequest& request, const Denoiser& denoiser, const Vocabulary& vocabulary,
                   const AnswerRoom& answer) {
  const auto prompt = static_cast<std::int64_t>(request.prompt.size()) + request.padding_before;
  const std::int64_t needed = prompt + answer.positions;
  if (needed > denoiser.max_positions()) {
    throw ConfigurationError(fmt::format(
        "sample {}: {} prompt tokens and {} need {} positions; the model has {}. Lower "
        "sampler.max_new_tokens ({}) or shorten the prompt",
        request.sample, prompt, answer.text, needed, denoiser.max_positions(), answer.max_new_tokens));
  }
  check_ids(request.prompt, vocabulary, fmt::format("sample {}: the prompt", request.sample));
  check_ids(request.initial_canvas, vocabulary, fmt::format("sample {}: the initial canvas", request.sample));
}

}  // namespace canvaslab
