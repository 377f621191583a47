// One object of a tokenizer.json together with where it stands, so that every complaint can name file and
// section.
#pragma once

#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace canvaslab {

// A view: the document must outlive it. Every reader throws ConfigurationError naming file, section, what was
// expected and what was found.
class Section {
 public:
  Section(const nlohmann::json& node, std::string file, std::string path)
      : node_(&node), file_(std::move(file)), path_(std::move(path)) {}

  // A part that may be null or absent.
  bool has(std::string_view key) const;
  Section child(const std::string& key) const;
  // The sections of a list.
  std::vector<Section> list(const std::string& key) const;
  std::vector<Section> elements() const;
  // The keys and sections of an object.
  std::vector<std::pair<std::string, Section>> members() const;

  std::string text(const std::string& key) const;
  std::string text_or(const std::string& key, const std::string& otherwise) const;
  bool flag(const std::string& key) const;
  bool flag_or(const std::string& key, bool otherwise) const;
  std::int64_t number(const std::string& key) const;
  std::int64_t number() const;
  // Text that is exactly one character.
  char32_t character(const std::string& key) const;
  // The text of a {"String": text} pattern; regular expressions and empty patterns are refused.
  std::string literal_pattern(const std::string& key) const;

  // The "type", which must be one of `known`.
  std::string kind(std::initializer_list<const char*> known) const;
  // Refuses keys that are not in `known`.
  void only(std::initializer_list<const char*> known) const;
  // Refuses the value of `key` unless it is absent, null, or one of the harmless values ("" and 0).
  void unused(const std::string& key, std::string_view why) const;

  [[noreturn]] void refuse(std::string_view problem) const;

 private:
  const nlohmann::json& required(const std::string& key) const;
  std::string path_of(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }

  const nlohmann::json* node_;
  std::string file_;
  std::string path_;
};

}  // namespace canvaslab
