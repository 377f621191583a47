// The configuration tree: look-up, changes and how messages show it.
#include "core/config/value.h"

#include <algorithm>
#include <charconv>

#include "core/config/scalar.h"

namespace canvaslab::config {

std::string Source::text() const {
  if (!where) return "";
  if (line == 0) return "command line '" + *where + "'";
  return *where + ":" + std::to_string(line);
}

Node Node::map() {
  return Node(Map{});
}

const Node* Node::find(std::string_view key) const {
  if (!is_map()) return nullptr;
  for (const Entry& entry : entries())
    if (entry.key == key) return &entry.value;
  return nullptr;
}

Node* Node::find(std::string_view key) {
  return const_cast<Node*>(std::as_const(*this).find(key));
}

Node& Node::set(std::string_view key, Node value) {
  if (is_null()) value_ = Map{};
  if (Node* existing = find(key)) return *existing = std::move(value);
  return entries().emplace_back(Entry{std::string(key), std::move(value)}).value;
}

bool Node::erase(std::string_view key) {
  if (!is_map()) return false;
  return std::erase_if(entries(), [&](const Entry& entry) { return entry.key == key; }) > 0;
}

bool Node::operator==(const Node& other) const {
  return value_ == other.value_;
}

std::string_view kind_name(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::kNull:
      return "null";
    case Node::Kind::kMandatory:
      return "???";
    case Node::Kind::kBool:
      return "a bool";
    case Node::Kind::kInteger:
      return "an integer";
    case Node::Kind::kReal:
      return "a number";
    case Node::Kind::kString:
      return "a string";
    case Node::Kind::kList:
      return "a list";
    case Node::Kind::kMap:
      return "a map";
  }
  return "";
}

std::string brief(const Node& node) {
  constexpr std::size_t kMost = 60;
  if (node.is_list()) return "a list of " + std::to_string(node.items().size());
  if (node.is_map()) {
    std::string keys;
    for (const Entry& entry : node.entries()) {
      keys += (keys.empty() ? "" : ", ") + entry.key;
      if (keys.size() > kMost) return "a map {" + keys.substr(0, kMost) + "...}";
    }
    return "a map {" + keys + "}";
  }
  std::string text = node.is_string() ? "'" + node.as_string() + "'" : scalar_text(node);
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  return text;
}

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> parts;
  std::string part;
  bool open = !path.empty();
  for (std::size_t i = 0; i < path.size(); ++i) {
    const char c = path[i];
    if (c == '.' || c == '[') {
      if (open) parts.push_back(std::move(part));
      part.clear();
      open = true;
    } else if (c == ']') {
      parts.push_back(std::move(part));
      part.clear();
      open = false;
    } else {
      part += c;
      open = true;
    }
  }
  if (open) parts.push_back(std::move(part));
  return parts;
}

const Node* select(const Node& root, std::string_view path) {
  const Node* node = &root;
  for (const std::string& part : split_path(path)) {
    if (node->is_list()) {
      std::size_t index = 0;
      const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
      if (error != std::errc() || end != part.data() + part.size() || index >= node->items().size())
        return nullptr;
      node = &node->items()[index];
    } else {
      node = node->find(part);
      if (!node) return nullptr;
    }
  }
  return node;
}

std::size_t count_nodes(const Node& root) {
  std::size_t count = 1;
  if (root.is_list())
    for (const Node& item : root.items()) count += count_nodes(item);
  if (root.is_map())
    for (const Entry& entry : root.entries()) count += count_nodes(entry.value);
  return count;
}

}  // namespace canvaslab::config
