// The operations in the order of the file; a Sequence is flattened, as nothing else depends on its nesting.
#include "models/tokenizer/normalizer.h"

#include "models/tokenizer/utf8.h"

namespace canvaslab {

std::string ReplaceText::apply(std::string_view text) const {
  std::string result;
  result.reserve(text.size() + text.size() / 4);
  std::size_t start = 0;
  for (std::size_t at = text.find(pattern); at != std::string_view::npos; at = text.find(pattern, start)) {
    result += text.substr(start, at - start);
    result += content;
    start = at + pattern.size();
  }
  result += text.substr(start);
  return result;
}

std::string Normalizer::Prepend::apply(std::string_view text) const {
  return text.empty() ? std::string() : prefix + std::string(text);
}

std::string Normalizer::Strip::apply(std::string_view text) const {
  if (left) text = without_leading_space(text);
  if (right) text = without_trailing_space(text);
  return std::string(text);
}

Normalizer::Normalizer(const Section& top) {
  if (top.has("normalizer")) add(top.child("normalizer"));
}

void Normalizer::add(const Section& section) {
  std::string kind = section.kind({"Replace", "Prepend", "Strip", "Sequence"});
  if (kind == "Sequence") {
    section.only({"type", "normalizers"});
    for (const Section& element : section.list("normalizers")) add(element);
  } else if (kind == "Replace") {
    section.only({"type", "pattern", "content"});
    operations_.emplace_back(ReplaceText{section.literal_pattern("pattern"), section.text("content")});
  } else if (kind == "Prepend") {
    section.only({"type", "prepend"});
    operations_.emplace_back(Prepend{section.text("prepend")});
  } else {
    section.only({"type", "strip_left", "strip_right"});
    operations_.emplace_back(Strip{section.flag("strip_left"), section.flag("strip_right")});
  }
}

std::string Normalizer::apply(std::string_view text) const {
  std::string result(text);
  for (const auto& operation : operations_) {
    result = std::visit([&](const auto& step) { return step.apply(result); }, operation);
  }
  return result;
}

}  // namespace canvaslab
