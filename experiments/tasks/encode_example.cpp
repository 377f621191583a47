#include "experiments/tasks/encode_example.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "models/tokenizer/utf8.h"

namespace canvaslab {
namespace {

// A tokenizer drops a character that it has no token for, so that the model would not see what was written.
std::vector<TokenId> encode(const TaskItem& item, const char* part, const std::string& text,
                            const Tokenizer& tokenizer) {
  if (const auto byte = invalid_utf8(text)) {
    throw ConfigurationError(
        fmt::format("example {}: byte {} of its {} is not valid UTF-8, expected text", item.id, *byte, part));
  }
  const std::vector<TokenId> ids = tokenizer.encode(text, /*add_special_tokens=*/false);
  if (tokenizer.decode(ids, /*skip_special_tokens=*/false) == text) return ids;
  for (size_t i = 0, number = 1; i < text.size(); i += utf8_length(text[i]), ++number) {
    const std::string character = text.substr(i, utf8_length(text[i]));
    if (tokenizer.encode(character, /*add_special_tokens=*/false).empty()) {
      throw ConfigurationError(
          fmt::format("example {}: character {} of its {} is '{}', which the tokenizer "
                      "does not know",
                      item.id, number, part, character));
    }
  }
  return ids;
}

}  // namespace

std::vector<TokenId> encode_prompt(const TaskItem& item, const Tokenizer& tokenizer) {
  encode(item, "prompt", item.prompt, tokenizer);
  return tokenizer.encode(item.prompt, /*add_special_tokens=*/true);
}

EncodedExample encode_example(const TaskItem& item, const Tokenizer& tokenizer, std::int64_t canvas_length) {
  EncodedExample example{encode_prompt(item, tokenizer), encode(item, "target", item.target, tokenizer)};
  if (static_cast<std::int64_t>(example.target.size()) > canvas_length) {
    throw ConfigurationError(fmt::format("example {}: its target has {} tokens, the canvas {}", item.id,
                                         example.target.size(), canvas_length));
  }
  return example;
}

std::vector<TokenId> answer_on_canvas(const std::vector<TokenId>& answer, const Vocabulary& vocabulary,
                                      std::int64_t length) {
  std::vector<TokenId> canvas = answer;
  if (static_cast<std::int64_t>(answer.size()) < length) {
    const auto end = std::find_if(vocabulary.end.begin(), vocabulary.end.end(),
                                  [&](TokenId id) { return id < vocabulary.size; });
    if (end == vocabulary.end.end() || !vocabulary.padding) {
      throw ConfigurationError(
          "an answer is shorter than the canvas, and the checkpoint has no end or padding token to fill it "
          "with");
    }
    canvas.push_back(*end);
  }
  canvas.resize(static_cast<size_t>(length), vocabulary.padding.value_or(0));
  return canvas;
}

}  // namespace canvaslab
