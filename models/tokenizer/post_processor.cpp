// Only the template for a single text counts; there are no pairs of texts here.
#include "models/tokenizer/post_processor.h"

#include <fmt/format.h>

#include <utility>

#include "models/tokenizer/vocabulary.h"

namespace canvaslab {

PostProcessor::PostProcessor(const Section& top) {
  if (top.has("post_processor")) add(top.child("post_processor"));
}

void PostProcessor::add(const Section& section) {
  std::string kind = section.kind({"TemplateProcessing", "ByteLevel", "Sequence"});
  if (kind == "ByteLevel") return;
  if (kind == "Sequence") {
    section.only({"type", "processors"});
    for (const Section& element : section.list("processors")) add(element);
    return;
  }
  // The reference hands the pieces of the first template to the second one as if they were texts.
  if (!templates_.empty()) section.refuse("a second TemplateProcessing is not supported; expected one");
  section.only({"type", "single", "pair", "special_tokens"});
  Section specials = section.child("special_tokens");
  Template pieces;
  for (const Section& piece : section.list("single")) {
    if (piece.has("Sequence")) {
      if (piece.child("Sequence").text("id") != "A")
        piece.refuse("expected sequence A, the only one there is");
      pieces.emplace_back();
      continue;
    }
    piece.only({"Sequence", "SpecialToken"});
    std::string name = piece.child("SpecialToken").text("id");
    if (!specials.has(name))
      piece.refuse(fmt::format("special token '{}' is not listed in special_tokens", name));
    SpecialTokens ids;
    for (const Section& id : specials.child(name).list("ids")) {
      if (id.number() >= TokenStrings::kIdLimit)
        id.refuse(fmt::format("expected an id below {}", TokenStrings::kIdLimit));
      ids.push_back(static_cast<TokenId>(id.number()));
    }
    pieces.emplace_back(std::move(ids));
  }
  templates_.push_back(std::move(pieces));
}

std::vector<TokenId> PostProcessor::apply(std::vector<TokenId> ids, bool add_special_tokens) const {
  for (const Template& pieces : templates_) {
    std::vector<TokenId> result;
    for (const std::optional<SpecialTokens>& special : pieces) {
      if (!special) {
        result.insert(result.end(), ids.begin(), ids.end());
      } else if (add_special_tokens) {
        result.insert(result.end(), special->begin(), special->end());
      }
    }
    ids = std::move(result);
  }
  return ids;
}

}  // namespace canvaslab
