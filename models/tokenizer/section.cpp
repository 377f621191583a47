// The checks behind Section: each reader says what it wanted and what stood there.
#include "models/tokenizer/section.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/nearest.h"
#include "models/tokenizer/utf8.h"

namespace canvaslab {

namespace {

std::string shown(const nlohmann::json& value) {
  std::string text = value.dump(-1, ' ', true);
  return text.size() > 60 ? text.substr(0, 57) + "..." : text;
}

}  // namespace

void Section::refuse(std::string_view problem) const {
  throw ConfigurationError(fmt::format("{}: {}: {}", file_, path_.empty() ? "top level" : path_, problem));
}

bool Section::has(std::string_view key) const {
  if (!node_->is_object()) refuse(fmt::format("expected an object, found {}", shown(*node_)));
  auto found = node_->find(key);
  return found != node_->end() && !found->is_null();
}

const nlohmann::json& Section::required(const std::string& key) const {
  if (!has(key)) refuse(fmt::format("'{}' is missing", key));
  return (*node_)[key];
}

Section Section::child(const std::string& key) const {
  return {required(key), file_, path_of(key)};
}

std::vector<Section> Section::elements() const {
  if (!node_->is_array()) refuse(fmt::format("expected a list, found {}", shown(*node_)));
  std::vector<Section> sections;
  for (std::size_t i = 0; i < node_->size(); ++i) {
    sections.emplace_back((*node_)[i], file_, fmt::format("{}[{}]", path_, i));
  }
  return sections;
}

std::vector<Section> Section::list(const std::string& key) const {
  return child(key).elements();
}

std::vector<std::pair<std::string, Section>> Section::members() const {
  if (!node_->is_object()) refuse(fmt::format("expected an object, found {}", shown(*node_)));
  std::vector<std::pair<std::string, Section>> sections;
  for (const auto& [key, value] : node_->items())
    sections.emplace_back(key, Section(value, file_, path_of(key)));
  return sections;
}

std::string Section::text(const std::string& key) const {
  const nlohmann::json& value = required(key);
  if (!value.is_string()) refuse(fmt::format("'{}' must be a string, found {}", key, shown(value)));
  return value.get<std::string>();
}

std::string Section::text_or(const std::string& key, const std::string& otherwise) const {
  return has(key) ? text(key) : otherwise;
}

bool Section::flag(const std::string& key) const {
  const nlohmann::json& value = required(key);
  if (!value.is_boolean()) refuse(fmt::format("'{}' must be true or false, found {}", key, shown(value)));
  return value.get<bool>();
}

bool Section::flag_or(const std::string& key, bool otherwise) const {
  return has(key) ? flag(key) : otherwise;
}

std::int64_t Section::number() const {
  bool usable =
      node_->is_number_integer() && (!node_->is_number_unsigned() || node_->get<std::uint64_t>() >> 63 == 0);
  if (!usable || node_->get<std::int64_t>() < 0) {
    refuse(fmt::format("expected a whole number from 0, found {}", shown(*node_)));
  }
  return node_->get<std::int64_t>();
}

std::int64_t Section::number(const std::string& key) const {
  return child(key).number();
}

char32_t Section::character(const std::string& key) const {
  std::string value = text(key);
  if (value.empty() || utf8_length(value[0]) != value.size()) {
    refuse(fmt::format("'{}' must be one character, found {}", key, shown(value)));
  }
  return first_character(value);
}

std::string Section::literal_pattern(const std::string& key) const {
  Section pattern = child(key);
  if (pattern.has("Regex")) {
    pattern.refuse("regular expressions are not supported; expected {\"String\": text}");
  }
  pattern.only({"String"});
  std::string value = pattern.text("String");
  if (value.empty()) pattern.refuse("the pattern is empty; expected at least one character");
  return value;
}

std::string Section::kind(std::initializer_list<const char*> known) const {
  std::string found = text("type");
  std::vector<std::string> names(known.begin(), known.end());
  if (std::ranges::find(names, found) != names.end()) return found;
  refuse(fmt::format("kind '{}' is not supported; expected one of {}{}", found, fmt::join(names, ", "),
                     did_you_mean(found, names)));
}

void Section::only(std::initializer_list<const char*> known) const {
  std::vector<std::string> names(known.begin(), known.end());
  for (const auto& [key, section] : members()) {
    if (std::ranges::find(names, key) != names.end()) continue;
    refuse(fmt::format("unknown key '{}'; expected {}{}", key, fmt::join(names, ", "),
                       did_you_mean(key, names)));
  }
}

void Section::unused(const std::string& key, std::string_view why) const {
  if (!has(key)) return;
  const nlohmann::json& value = (*node_)[key];
  bool harmless = value == nlohmann::json("") || (value.is_number() && value.get<double>() == 0);
  if (!harmless)
    refuse(fmt::format("'{}' is not supported ({}); expected null, found {}", key, why, shown(value)));
}

}  // namespace canvaslab
