// The other directions of a struct's list of fields: its effective values as a tree, and its description for
// --help and traces.
#pragma once

#include <initializer_list>
#include <utility>

#include "core/config/bind.h"

namespace canvaslab::config {

template <class T>
Node write_value(const T& value, const Node* given);

// The visitor that writes a struct's values into a map. A std::unique_ptr field does not remember its
// configuration; its effective values are derived from the node that it was `given`.
class Writer {
 public:
  Writer(Node& out, const Node* given) : out_(out), given_(given) {}

  template <class T>
  void operator()(const char* name, const T& value, const Field& = {}) {
    out_.set(name, write_value(value, given_ ? given_->find(name) : nullptr));
  }

  template <class E>
  void choice(const char* name, const E& value,
              std::initializer_list<std::pair<const char*, std::type_identity_t<E>>> options,
              const Field& = {}) {
    for (const auto& option : options)
      if (option.second == value) out_.set(name, Node(option.first));
  }

 private:
  Node& out_;
  const Node* given_;
};

// The struct's values as a map, defaults included. `given` is the map that it was bound from; it is needed
// only when options (std::unique_ptr fields) stand below.
template <class T>
Node to_node(const T& value, const Node* given = nullptr) {
  Node out = Node::map();
  Writer writer(out, given);
  const_cast<T&>(value).fields(writer);  // fields() is written for both directions; the writer only reads
  return out;
}

template <class T>
Node write_value(const T& value, const Node* given) {
  if constexpr (std::same_as<T, Node>) {
    return value;
  } else if constexpr (std::same_as<T, bool> || std::same_as<T, std::string>) {
    return Node(value);
  } else if constexpr (std::same_as<T, std::filesystem::path>) {
    return Node(value.string());
  } else if constexpr (Integer<T>) {
    return Node(static_cast<std::int64_t>(value));
  } else if constexpr (std::same_as<T, float>) {
    return Node(detail::shortest_double(value));
  } else if constexpr (std::floating_point<T>) {
    return Node(static_cast<double>(value));
  } else if constexpr (IsOptional<T>::value) {
    return value ? write_value(*value, given) : Node();
  } else if constexpr (IsVector<T>::value) {
    Node out = Node::list();
    for (std::size_t i = 0; i < value.size(); ++i) {
      const bool known = given && given->is_list() && i < given->items().size();
      out.items().push_back(write_value(static_cast<const typename T::value_type&>(value[i]),
                                        known ? &given->items()[i] : nullptr));
    }
    return out;
  } else if constexpr (IsTextMap<T>::value) {
    Node out = Node::map();
    for (const auto& [key, item] : value) out.set(key, write_value(item, given ? given->find(key) : nullptr));
    return out;
  } else if constexpr (IsPart<T>::value) {
    return given && given->is_map() ? Registry<typename T::element_type>::effective(*given) : Node();
  } else {
    return to_node(value, given);
  }
}

// "number", "list of integer", "text or null" and so on.
template <class T>
std::string type_text() {
  if constexpr (std::same_as<T, Node>) {
    return "any";
  } else if constexpr (std::same_as<T, bool>) {
    return "bool";
  } else if constexpr (Integer<T>) {
    return "integer";
  } else if constexpr (std::floating_point<T>) {
    return "number";
  } else if constexpr (std::same_as<T, std::string> || std::same_as<T, std::filesystem::path>) {
    return "text";
  } else if constexpr (IsOptional<T>::value) {
    return type_text<typename T::value_type>() + " or null";
  } else if constexpr (IsVector<T>::value) {
    return "list of " + type_text<typename T::value_type>();
  } else if constexpr (IsTextMap<T>::value) {
    return "map of " + type_text<typename T::mapped_type>();
  } else if constexpr (IsPart<T>::value) {
    return "option: " + Registry<typename T::element_type>::names_text();
  } else {
    return "map";
  }
}

// The visitor that collects descriptions; nested structs appear as dotted names.
class Describer {
 public:
  Describer(std::vector<FieldDescription>& out, std::string prefix) : out_(out), prefix_(std::move(prefix)) {}

  template <class T>
  void operator()(const char* name, T& value, const Field& field = {}) {
    if constexpr (Configurable<T> && !std::same_as<T, Node>) {
      Describer nested(out_, join_path(prefix_, name));
      value.fields(nested);
    } else {
      add(name, type_text<T>(), write_value(static_cast<const T&>(value), nullptr), field);
    }
  }

  template <class E>
  void choice(const char* name, E& value,
              std::initializer_list<std::pair<const char*, std::type_identity_t<E>>> options,
              const Field& field = {}) {
    std::string type;
    Node chosen;
    for (const auto& option : options) {
      type += (type.empty() ? "" : " | ") + std::string(option.first);
      if (option.second == value) chosen = Node(option.first);
    }
    add(name, type, chosen, field);
  }

 private:
  void add(const char* name, std::string type, const Node& value, const Field& field) {
    out_.push_back({join_path(prefix_, name), std::move(type), detail::one_line(value), field.unit,
                    field.meaning, range_text(field)});
  }

  std::vector<FieldDescription>& out_;
  std::string prefix_;
};

// The struct's fields in the order that it lists them, with their defaults.
template <class T>
std::vector<FieldDescription> describe() {
  std::vector<FieldDescription> fields;
  T defaults;
  Describer describer(fields, "");
  defaults.fields(describer);
  return fields;
}

}  // namespace canvaslab::config
