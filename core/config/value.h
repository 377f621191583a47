// The tree that configurations are made of: ordered, and every node knows the file and line or the
// command-line word that it came from, so that an error found much later can still name the place.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace canvaslab::config {

// Where a value was written.
struct Source {
  std::shared_ptr<const std::string> where;  // a file's path or a command-line word; null when unknown
  int line = 0;                              // from 1; 0 for a command-line word

  // "configs/config.yaml:3", "command line 'a.b=1'", or "" when unknown.
  std::string text() const;
};

// The mark `???`: a value that must be set before it is used.
struct Mandatory {
  bool operator==(const Mandatory&) const = default;
};

struct Entry;

// One value: null, `???`, bool, integer, real, string, list or map. A map keeps the order in which keys were
// added.
class Node {
 public:
  enum class Kind { kNull, kMandatory, kBool, kInteger, kReal, kString, kList, kMap };
  using List = std::vector<Node>;
  using Map = std::vector<Entry>;

  // Bodies stand below Entry, which they need complete.
  Node();
  explicit Node(Mandatory value);
  explicit Node(bool value);
  explicit Node(int value);
  explicit Node(std::int64_t value);
  explicit Node(double value);
  explicit Node(std::string value);
  explicit Node(const char* value);
  explicit Node(List value);
  explicit Node(Map value);
  Node(const Node&);
  Node(Node&&) noexcept;
  Node& operator=(const Node&);
  Node& operator=(Node&&) noexcept;
  ~Node();
  static Node list();
  static Node map();

  Kind kind() const { return static_cast<Kind>(value_.index()); }
  bool is_null() const { return kind() == Kind::kNull; }
  bool is_mandatory() const { return kind() == Kind::kMandatory; }
  bool is_bool() const { return kind() == Kind::kBool; }
  bool is_integer() const { return kind() == Kind::kInteger; }
  bool is_real() const { return kind() == Kind::kReal; }
  bool is_string() const { return kind() == Kind::kString; }
  bool is_list() const { return kind() == Kind::kList; }
  bool is_map() const { return kind() == Kind::kMap; }

  // The value; std::bad_variant_access when the node is of another kind.
  bool as_bool() const { return std::get<bool>(value_); }
  std::int64_t as_integer() const { return std::get<std::int64_t>(value_); }
  double as_real() const { return std::get<double>(value_); }
  const std::string& as_string() const { return std::get<std::string>(value_); }
  const List& items() const { return std::get<List>(value_); }
  List& items() { return std::get<List>(value_); }
  const Map& entries() const { return std::get<Map>(value_); }
  Map& entries() { return std::get<Map>(value_); }

  // A map's value of that key, or null: also when the node is no map.
  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
  // Sets a map's key in place, or appends it; a null node becomes a map.
  Node& set(std::string_view key, Node value);
  // Removes a map's key; false when it has none.
  bool erase(std::string_view key);

  const Source& source() const { return source_; }
  Node& at(Source source) {
    source_ = std::move(source);
    return *this;
  }

  // Compares values and the order of keys, not sources.
  bool operator==(const Node& other) const;

 private:
  std::variant<std::monostate, Mandatory, bool, std::int64_t, double, std::string, List, Map> value_;
  Source source_;
};

// One key of a map with its value.
struct Entry {
  std::string key;
  Node value;

  bool operator==(const Entry&) const = default;
};

inline Node::Node() = default;
inline Node::Node(Mandatory value) : value_(value) {}
inline Node::Node(bool value) : value_(value) {}
inline Node::Node(int value) : value_(static_cast<std::int64_t>(value)) {}
inline Node::Node(std::int64_t value) : value_(value) {}
inline Node::Node(double value) : value_(value) {}
inline Node::Node(std::string value) : value_(std::move(value)) {}
inline Node::Node(const char* value) : value_(std::string(value)) {}
inline Node::Node(List value) : value_(std::move(value)) {}
inline Node::Node(Map value) : value_(std::move(value)) {}
inline Node::Node(const Node&) = default;
inline Node::Node(Node&&) noexcept = default;
inline Node& Node::operator=(const Node&) = default;
inline Node& Node::operator=(Node&&) noexcept = default;
inline Node::~Node() = default;
inline Node Node::list() {
  return Node(List{});
}

// "a map", "an integer" and so on, for messages.
std::string_view kind_name(Node::Kind kind);

// The node as a message shows it: scalars as YAML ("'3'", "3", "null"), lists and maps shortened.
std::string brief(const Node& node);

// Splits a dotted path: "a.b.0" and "a.b[0]" give {"a", "b", "0"}. An empty path has no parts.
std::vector<std::string> split_path(std::string_view path);

// The node below `root` at a dotted path (list elements by number), or null.
const Node* select(const Node& root, std::string_view path);

// How many nodes the tree has, itself included.
std::size_t count_nodes(const Node& root);

}  // namespace canvaslab::config
