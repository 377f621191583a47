// Merging configuration trees.
#include "core/config/merge.h"

#include <unordered_map>

#include "core/config/errors.h"
#include "core/error.h"
#include "core/nearest.h"

namespace canvaslab::config {
namespace {

void merge_value(Node& base, const Node& over, const std::string& path, bool new_keys) {
  if (over.is_mandatory()) return;
  if ((base.is_map() && over.is_list()) || (base.is_list() && over.is_map()))
    throw ConfigurationError(over.source().text() + ": " + path + ": cannot merge " + brief(over) + " with " +
                             brief(base) + " of " + base.source().text());
  if (base.is_map() && over.is_map()) {
    merge(base, over, path, new_keys);
  } else {
    base = over;
  }
}

[[noreturn]] void refuse(const Node& base, const Entry& entry, const std::string& path) {
  std::vector<std::string> known;
  for (const Entry& existing : base.entries()) known.push_back(existing.key);
  throw ConfigurationError("Key '" + entry.key + "' is not in '" + path + "'" +
                           did_you_mean(entry.key, known));
}

}  // namespace

void merge(Node& base, const Node& over, const std::string& path, bool new_keys) {
  if (!base.is_map() || !over.is_map()) return merge_value(base, over, path, new_keys);
  // Large maps are looked up by hash.
  constexpr std::size_t kLarge = 32;
  std::unordered_map<std::string, std::size_t> index;
  const bool large = base.entries().size() + over.entries().size() > kLarge;
  if (large)
    for (std::size_t i = 0; i < base.entries().size(); ++i) index.emplace(base.entries()[i].key, i);
  for (const Entry& entry : over.entries()) {
    Node* existing = nullptr;
    if (large) {
      const auto found = index.find(entry.key);
      if (found != index.end()) existing = &base.entries()[found->second].value;
    } else {
      existing = base.find(entry.key);
    }
    if (existing) {
      merge_value(*existing, entry.value, join_path(path, entry.key), new_keys);
    } else if (new_keys) {
      base.entries().push_back(entry);
    } else {
      refuse(base, entry, path);
    }
  }
}

Node embed(const std::string& package, Node content) {
  const std::vector<std::string> parts = split_path(package);
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    Node outer = Node::map();
    outer.at(content.source());
    outer.set(*part, std::move(content));
    content = std::move(outer);
  }
  return content;
}

}  // namespace canvaslab::config
