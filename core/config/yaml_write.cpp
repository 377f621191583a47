// Writes a configuration tree as YAML, laid out as Hydra's printer does: block style, lists not indented.
#include "core/config/scalar.h"
#include "core/config/yaml.h"

namespace canvaslab::config {
namespace {

void write(const Node& node, int indent, std::string& out);

// Keys are texts; one that was written as a number or bool reads back as the same text.
std::string key_text(const std::string& key) {
  const auto only = [&](std::string_view allowed) {
    return key.find_first_not_of(allowed) == std::string::npos;
  };
  if (!key.empty() && only("0123456789") && key.size() < 18 && (key[0] != '0' || key.size() == 1)) return key;
  if (key == "true" || key == "false") return key;
  return scalar_text(string_scalar(key));
}

bool is_block(const Node& node) {
  return (node.is_list() && !node.items().empty()) || (node.is_map() && !node.entries().empty());
}

std::string flat(const Node& node) {
  if (node.is_list()) return "[]";
  if (node.is_map()) return "{}";
  return scalar_text(node);
}

void write_map(const Node& node, int indent, std::string& out) {
  bool first = true;
  for (const Entry& entry : node.entries()) {
    // The first key of a map inside a list follows the dash on the same line.
    if (!first || out.empty() || out.back() == '\n') out.append(static_cast<std::size_t>(indent), ' ');
    first = false;
    out.append(key_text(entry.key)).append(":");
    if (is_block(entry.value)) {
      out += '\n';
      write(entry.value, entry.value.is_list() ? indent : indent + 2, out);
    } else {
      out.append(" ").append(flat(entry.value)).append("\n");
    }
  }
}

void write_list(const Node& node, int indent, std::string& out) {
  bool first = true;
  for (const Node& item : node.items()) {
    if (!first || out.empty() || out.back() == '\n') out.append(static_cast<std::size_t>(indent), ' ');
    first = false;
    out += "- ";
    if (is_block(item)) {
      write(item, indent + 2, out);
    } else {
      out.append(flat(item)).append("\n");
    }
  }
}

void write(const Node& node, int indent, std::string& out) {
  if (node.is_map() && is_block(node)) return write_map(node, indent, out);
  if (node.is_list() && is_block(node)) return write_list(node, indent, out);
  out.append(flat(node)).append("\n");
}

}  // namespace

std::string to_yaml(const Node& node) {
  std::string out;
  write(node, 0, out);
  return out;
}

}  // namespace canvaslab::config
