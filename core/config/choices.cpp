// Command-line and override choices among groups.
#include "core/config/choices.h"

#include <algorithm>

#include "core/error.h"
#include "core/nearest.h"

namespace canvaslab::config {
namespace {

std::string text_of(const std::optional<std::string>& option,
                    const std::optional<std::vector<std::string>>& options) {
  if (!options) return option.value_or("null");
  std::string text;
  for (const std::string& item : *options) text += (text.empty() ? "" : ",") + item;
  return "[" + text + "]";
}

[[noreturn]] void fail(const std::string& place, const std::string& what) {
  throw ConfigurationError(place.empty() ? what : place + ": " + what);
}

std::string word_place(const std::string& word) {
  return "command line '" + word + "'";
}

}  // namespace

Choices::Choices(const ConfigFolders& folders, const std::vector<Override>& overrides) {
  for (const Override& override : overrides) {
    if (override.sweep) continue;
    const bool is_dict = override.value && override.value->is_map();
    if (is_dict || !folders.is_group(override.key)) {
      values.push_back(override);
    } else {
      add_word(folders, override);
    }
  }
}

void Choices::add_word(const ConfigFolders& folders, const Override& override) {
  const std::string place = word_place(override.word);
  if (override.kind == Override::Kind::kForceAdd)
    fail(place, "a group cannot be force-added (++); use +" + override.word.substr(2) + " or " +
                    override.word.substr(2));
  DefaultEntry entry;
  entry.is_group = true;
  entry.is_appended = true;
  entry.path = override.key;
  entry.package = override.package;
  if (entry.package == "_here_") entry.package = "";
  if (override.value && override.value->is_list()) {
    entry.options.emplace();
    for (const Node& item : override.value->items()) {
      if (!item.is_string())
        fail(place, "the options of group '" + override.key + "' must be texts, found " + brief(item));
      entry.options->push_back(item.as_string());
    }
  } else if (override.value && (override.value->is_string() || override.value->is_mandatory())) {
    entry.option = override.value->is_mandatory() ? "???" : override.value->as_string();
  } else if (override.kind != Override::Kind::kDelete || (override.value && !override.value->is_null())) {
    std::string options;
    for (const std::string& option : folders.options(override.key))
      options += (options.empty() ? "" : ", ") + option;
    fail(place, "the option of group '" + override.key + "' must be text or a list of texts, found " +
                    (override.value ? brief(*override.value) : "nothing") + "; options: " + options);
  }
  switch (override.kind) {
    case Override::Kind::kDelete:
      if (entry.options) fail(place, "the option to remove must be text, found a list");
      removals_[override.choice_key()] = {entry.option, override.word, false};
      break;
    case Override::Kind::kAdd:
      appended.push_back(entry);
      break;
    default: {
      std::erase_if(choices_, [&](const auto& choice) { return choice.first == override.choice_key(); });
      choices_.emplace_back(override.choice_key(),
                            Choice{entry.option, entry.options, override.word, "", {}, false});
    }
  }
}

void Choices::add(const std::string& file, const DefaultEntry& entry) {
  const std::string key = entry.key();
  for (const auto& [existing, choice] : choices_)
    if (existing == key) return;
  choices_.emplace_back(key, Choice{entry.option, entry.options, "", file, entry.source, false});
}

void Choices::apply(DefaultEntry& entry) {
  if (!entry.is_group) return;
  const std::string key = entry.key();
  for (auto& [existing, choice] : choices_) {
    if (existing != key) continue;
    entry.option = choice.option;
    entry.options = choice.options;
    choice.used = true;
  }
}

bool Choices::removes(const DefaultEntry& entry) {
  if (!entry.is_group) return false;
  const auto found = removals_.find(entry.key());
  if (found == removals_.end()) return false;
  if (found->second.option && found->second.option != entry.option) return false;
  return found->second.used = true;
}

void Choices::note(const DefaultEntry& entry) {
  if (!entry.is_group) return;
  const std::string key = entry.key();
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const auto& choice) { return choice.first == key; });
  if (found == known.end()) {
    known.emplace_back(key, entry.option);
  } else if (found->second != entry.option) {
    const std::string previous = found->second.value_or("null");
    fail(entry.source.text(), "Multiple values for " + key + ": '" + entry.option.value_or("null") +
                                  "' and '" + previous + "'. To override a value use 'override " + key +
                                  ": " + previous + "'");
  }
  keys_of_group_[entry.group()].insert(key);
}

void Choices::check_all_used() const {
  for (const auto& [key, choice] : choices_) {
    if (choice.used) continue;
    const std::string group = key.substr(0, key.find('@'));
    const auto found = keys_of_group_.find(group);
    std::string message = choice.word.empty() ? "In '" + choice.file + "': " : "";
    message += "Could not override '" + key + "'.";
    if (found == keys_of_group_.end()) {
      std::vector<std::string> groups;
      for (const auto& [name, keys] : keys_of_group_) groups.insert(groups.end(), keys.begin(), keys.end());
      message += " No match in the defaults list" + did_you_mean(key, groups);
    } else {
      std::string keys;
      for (const std::string& name : found->second) keys += (keys.empty() ? "" : ", ") + name;
      message +=
          "\nDid you mean to override " + std::string(found->second.size() > 1 ? "one of " : "") + keys + "?";
    }
    if (!choice.word.empty())
      message +=
          "\nTo append to your default list use +" + key + "=" + text_of(choice.option, choice.options);
    fail(choice.word.empty() ? choice.source.text() : word_place(choice.word), message);
  }
  for (const auto& [key, removal] : removals_)
    if (!removal.used)
      fail(word_place(removal.word),
           "Could not delete '" + removal.word.substr(1) + "'. No match in the defaults list");
}

}  // namespace canvaslab::config
