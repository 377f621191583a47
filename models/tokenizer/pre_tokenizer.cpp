// Each operation cuts what the one before it left; text is copied only where an operation changes it.
#include "models/tokenizer/pre_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/tokenizer/utf8.h"

namespace canvaslab {

PreTokenizer::PreTokenizer(const Section& top) {
  if (!top.has("pre_tokenizer")) return;
  add(top.child("pre_tokenizer"));
  // Whether a word begins the input is known only as long as nothing has been inserted or taken away before
  // it.
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const auto* metaspace = std::get_if<Metaspace>(&operations_[i]);
    if (metaspace == nullptr || metaspace->prefix != Prefix::kFirst) continue;
    bool after_metaspace =
        std::any_of(operations_.begin(), operations_.begin() + static_cast<std::ptrdiff_t>(i),
                    [](const Operation& o) { return std::holds_alternative<Metaspace>(o); });
    if (after_metaspace || top.has("normalizer")) {
      top.child("pre_tokenizer")
          .refuse(
              "Metaspace with prepend_scheme 'first' is supported only without a normalizer and as the only "
              "Metaspace");
    }
  }
}

PreTokenizer::Behavior PreTokenizer::behavior_of(const Section& section) {
  std::string name = section.text("behavior");
  static const std::vector<std::pair<std::string, Behavior>> kNames = {
      {"Removed", Behavior::kRemoved},
      {"Isolated", Behavior::kIsolated},
      {"MergedWithPrevious", Behavior::kMergedWithPrevious},
      {"MergedWithNext", Behavior::kMergedWithNext},
      {"Contiguous", Behavior::kContiguous}};
  for (const auto& [known, behavior] : kNames) {
    if (name == known) return behavior;
  }
  section.refuse(
      fmt::format("behavior '{}' is not known; expected Removed, Isolated, MergedWithPrevious, "
                  "MergedWithNext or Contiguous",
                  name));
}

void PreTokenizer::add(const Section& section) {
  std::string kind = section.kind({"Split", "Metaspace", "WhitespaceSplit", "Sequence"});
  if (kind == "Sequence") {
    section.only({"type", "pretokenizers"});
    for (const Section& element : section.list("pretokenizers")) add(element);
  } else if (kind == "Split") {
    section.only({"type", "pattern", "behavior", "invert"});
    operations_.emplace_back(
        Split{section.literal_pattern("pattern"), behavior_of(section), section.flag("invert")});
  } else if (kind == "Metaspace") {
    add_metaspace(section);
  } else {
    section.only({"type"});
    operations_.emplace_back(WhitespaceSplit{});
  }
}

void PreTokenizer::add_metaspace(const Section& section) {
  section.only({"type", "replacement", "prepend_scheme", "split", "add_prefix_space", "str_rep"});
  section.character("replacement");
  std::string scheme = section.text_or("prepend_scheme", "always");
  if (scheme != "always" && scheme != "first" && scheme != "never") {
    section.refuse(fmt::format("prepend_scheme '{}' is not known; expected always, first or never", scheme));
  }
  if (!section.flag_or("add_prefix_space", true) && scheme != "never") {
    section.refuse(fmt::format("add_prefix_space false contradicts prepend_scheme '{}'", scheme));
  }
  operations_.emplace_back(Metaspace{{" ", section.text("replacement")},
                                     scheme == "always"  ? Prefix::kAlways
                                     : scheme == "first" ? Prefix::kFirst
                                                         : Prefix::kNever,
                                     section.flag_or("split", true)});
}

std::vector<PreTokenizer::Stretch> PreTokenizer::stretches(std::string_view text, std::string_view pattern) {
  std::vector<Stretch> found;
  std::size_t start = 0;
  for (std::size_t at = text.find(pattern); at != std::string_view::npos; at = text.find(pattern, start)) {
    if (at > start) found.push_back({start, at, false});
    start = at + pattern.size();
    found.push_back({at, start, true});
  }
  if (start < text.size()) found.push_back({start, text.size(), false});
  return found;
}

std::vector<PreTokenizer::Stretch> PreTokenizer::white_space_stretches(std::string_view text) {
  std::vector<Stretch> found;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t next = at + utf8_length(text[at]);
    bool space = is_white_space(first_character(text.substr(at)));
    if (!found.empty() && !space && !found.back().separator) {
      found.back().end = next;
    } else {
      found.push_back({at, next, space});
    }
    at = next;
  }
  return found;
}

std::vector<PreTokenizer::Stretch> PreTokenizer::arrange(std::vector<Stretch> stretches, Behavior behavior) {
  if (behavior == Behavior::kIsolated) return stretches;
  if (behavior == Behavior::kRemoved) {
    std::erase_if(stretches, [](const Stretch& stretch) { return stretch.separator; });
    return stretches;
  }
  // Merging with the next is merging with the previous, seen from the end.
  bool backwards = behavior == Behavior::kMergedWithNext;
  if (backwards) std::ranges::reverse(stretches);
  std::vector<Stretch> arranged;
  bool previous_separates = false;
  for (const Stretch& stretch : stretches) {
    bool joins = behavior == Behavior::kContiguous ? stretch.separator == previous_separates
                                                   : stretch.separator && !previous_separates;
    if (joins && !arranged.empty()) {
      arranged.back().begin = std::min(arranged.back().begin, stretch.begin);
      arranged.back().end = std::max(arranged.back().end, stretch.end);
    } else {
      arranged.push_back(stretch);
    }
    previous_separates = stretch.separator;
  }
  if (backwards) std::ranges::reverse(arranged);
  return arranged;
}

std::vector<PreTokenizer::Stretch> PreTokenizer::cut(const Split& split, std::string_view text) {
  std::vector<Stretch> found = stretches(text, split.pattern);
  if (split.invert) {
    for (Stretch& stretch : found) stretch.separator = !stretch.separator;
  }
  return arrange(std::move(found), split.behavior);
}

void PreTokenizer::split(std::string_view text, bool at_start, const Word& word) const {
  split_from(0, text, at_start, word);
}

void PreTokenizer::split_from(std::size_t operation, std::string_view text, bool at_start,
                              const Word& word) const {
  if (text.empty()) return;
  if (operation == operations_.size()) return word(text);
  auto pass_on = [&](std::string_view whole, const std::vector<Stretch>& parts) {
    for (const Stretch& part : parts) {
      split_from(operation + 1, whole.substr(part.begin, part.end - part.begin), at_start && part.begin == 0,
                 word);
    }
  };
  if (const auto* split = std::get_if<Split>(&operations_[operation]))
    return pass_on(text, cut(*split, text));
  const auto* metaspace = std::get_if<Metaspace>(&operations_[operation]);
  if (metaspace == nullptr) return pass_on(text, arrange(white_space_stretches(text), Behavior::kRemoved));

  const std::string& mark = metaspace->replace.content;
  std::string marked = metaspace->replace.apply(text);
  bool wants_prefix =
      metaspace->prefix == Prefix::kAlways || (metaspace->prefix == Prefix::kFirst && at_start);
  if (wants_prefix && !marked.starts_with(mark)) marked.insert(0, mark);
  if (!metaspace->split) return pass_on(marked, {{0, marked.size(), false}});
  pass_on(marked, arrange(stretches(marked, mark), Behavior::kMergedWithNext));
}

}  // namespace canvaslab
