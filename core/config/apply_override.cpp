// The rules of Hydra's struct mode: a plain override changes what exists, + adds, ++ does either, ~ removes.
#include "core/config/apply_override.h"

#include <charconv>

#include "core/config/errors.h"
#include "core/config/merge.h"
#include "core/error.h"
#include "core/nearest.h"

namespace canvaslab::config {
namespace {

[[noreturn]] void fail(const Override& override, const std::string& what) {
  throw ConfigurationError("command line '" + override.word + "': " + what);
}

std::vector<std::string> keys_of(const Node& node) {
  std::vector<std::string> keys;
  if (node.is_map())
    for (const Entry& entry : node.entries()) keys.push_back(entry.key);
  return keys;
}

// The word without its marks: what a plain override would be.
std::string bare_word(const Override& override) {
  return override.word.substr(
      override.word.find_first_not_of("+~") == std::string::npos ? 0 : override.word.find_first_not_of("+~"));
}

// A list's element. ConfigurationError: no number, or past the end.
Node& element(Node& list, const std::string& part, const Override& override) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
  if (error != std::errc() || end != part.data() + part.size())
    fail(override, "'" + part + "' is no position in a list of '" + override.key + "'");
  if (index >= list.items().size())
    fail(override, "position " + part + " is past the end of a list of " +
                       std::to_string(list.items().size()) + " in '" + override.key + "'");
  return list.items()[index];
}

[[noreturn]] void unknown_key(const Override& override, const Node& container, const std::string& part,
                              std::vector<std::string> known) {
  std::string message = "Could not override '" + override.key + "'.";
  const std::vector<std::string> keys = keys_of(container);
  known.insert(known.end(), keys.begin(), keys.end());
  std::string suggestion = did_you_mean(part, known);
  if (!suggestion.empty()) {
    message += " Key '" + part + "' is unknown" + suggestion;
  } else if (!keys.empty()) {
    message += " Known keys:";
    for (const std::string& key : keys) message += " " + key;
  }
  fail(override, message + "\nTo append to your config use +" + bare_word(override));
}

// Walks to the container of the last part, making parents where that is allowed.
Node& parent_of(Node& root, const std::vector<std::string>& parts, const Override& override, bool force,
                const std::vector<std::string>& groups) {
  Node* node = &root;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    if (node->is_list()) {
      node = &element(*node, parts[i], override);
      continue;
    }
    Node* child = node->find(parts[i]);
    if (!child) {
      if (!force) unknown_key(override, *node, parts[i], i == 0 ? groups : std::vector<std::string>{});
      child = &node->set(parts[i], Node::map().at(override.value->source()));
    } else if (!child->is_map() && !child->is_list()) {
      if (!force) unknown_key(override, *child, parts[i + 1], {});
      *child = Node::map().at(override.value->source());
    }
    node = child;
  }
  return *node;
}

void update(Node& root, const Override& override, bool force, const std::vector<std::string>& groups) {
  const std::vector<std::string> parts = split_path(override.key);
  Node& parent = parent_of(root, parts, override, force, groups);
  const std::string& last = parts.back();
  Node* existing = parent.is_list() ? &element(parent, last, override) : parent.find(last);
  if (!existing) {
    if (!force) unknown_key(override, parent, last, parts.size() == 1 ? groups : std::vector<std::string>{});
    parent.set(last, *override.value);
    return;
  }
  const bool both_containers =
      (existing->is_map() || existing->is_list()) && (override.value->is_map() || override.value->is_list());
  if (!both_containers) {
    *existing = *override.value;
    return;
  }
  try {
    merge(*existing, *override.value, override.key, force);
  } catch (const ConfigurationError& error) {
    fail(override, "Could not override '" + override.key + "'. " + error.what() +
                       "\nTo append to your config use +" + bare_word(override));
  }
}

bool same_value(const Node& a, const Node& b) {
  const auto number = [](const Node& node) {
    return node.is_integer() ? static_cast<double>(node.as_integer()) : node.as_real();
  };
  const auto is_number = [](const Node& node) { return node.is_integer() || node.is_real(); };
  if (is_number(a) && is_number(b)) return number(a) == number(b);
  return a == b;
}

void remove(Node& root, const Override& override) {
  const Node* found = select(root, override.key);
  std::vector<std::string> parts = split_path(override.key);
  if (!found || found->is_null() || found->is_mandatory()) {
    // Where the path leaves the tree, the nearest key there may be what was meant.
    const Node* node = &root;
    std::string suggestion;
    for (const std::string& part : parts) {
      const Node* child = node->find(part);
      if (!child) {
        suggestion = did_you_mean(part, keys_of(*node));
        break;
      }
      node = child;
    }
    fail(override, "Could not delete from config. '" + override.key + "' does not exist." + suggestion);
  }
  if (override.value && !override.value->is_null() && !same_value(*found, *override.value))
    fail(override, "Could not delete from config. The value of '" + override.key + "' is " + brief(*found) +
                       " and not " + brief(*override.value) + ".");
  const std::string last = parts.back();
  parts.pop_back();
  std::string container;
  for (const std::string& part : parts) container = join_path(container, part);
  Node* parent = const_cast<Node*>(select(root, container));
  if (!parent->erase(last)) fail(override, "an element of a list cannot be deleted ('" + override.key + "')");
}

}  // namespace

void apply_override(Node& root, const Override& override, const std::vector<std::string>& groups) {
  if (override.key.empty()) fail(override, "a key is missing before '='");
  if (override.package)
    fail(override, "looks like a config group override, but config group '" + override.key +
                       "' does not exist" + did_you_mean(override.key, groups));
  switch (override.kind) {
    case Override::Kind::kDelete:
      return remove(root, override);
    case Override::Kind::kForceAdd:
      return update(root, override, true, groups);
    case Override::Kind::kSet:
      return update(root, override, false, groups);
    case Override::Kind::kAdd: {
      const Node* existing = select(root, override.key);
      const bool is_set = existing && !existing->is_null() && !existing->is_mandatory();
      if (is_set && !override.value->is_map() && !override.value->is_list())
        fail(override, "Could not append to config. An item is already at '" + override.key +
                           "'.\nEither remove + prefix: '" + bare_word(override) +
                           "'\nOr add a second + to add or override '" + override.key + "': '++" +
                           bare_word(override) + "'");
      return update(root, override, true, groups);
    }
  }
}

}  // namespace canvaslab::config
