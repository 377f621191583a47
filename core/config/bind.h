// Typed binding: fills a struct that lists its fields (core/config/fields.h) from a configuration tree,
// strictly, and goes the other way. Fields may be scalars, std::optional (null allowed), std::vector,
// std::map<std::string, T>, nested structs, config::Node (any tree) and std::unique_ptr<Interface> (an option
// of that interface's registry, built from its own node; include core/registry.h).
#pragma once

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <utility>

#include "core/config/errors.h"
#include "core/config/fields.h"

namespace canvaslab::config {

// Whether options in std::unique_ptr fields are constructed, or only their configuration is checked.
enum class Parts { kConstruct, kCheckOnly };

// Non-template pieces. Each adds an error and returns false (or null) when the node does not fit.
namespace detail {
bool read_bool(const Node& node, const std::string& path, bool& out, Errors& errors);
bool read_integer(const Node& node, const std::string& path, const Field& field, std::int64_t lowest,
                  std::uint64_t highest, std::int64_t& out, Errors& errors);
bool read_real(const Node& node, const std::string& path, const Field& field, double& out, Errors& errors);
bool read_text(const Node& node, const std::string& path, std::string& out, Errors& errors);
bool read_choice(const Node& node, const std::string& path, const std::vector<std::string>& names,
                 std::size_t& index, Errors& errors);
// False, with an error, when the node is `???` or of another kind than wanted.
bool expect_kind(const Node& node, const std::string& path, Node::Kind wanted, Errors& errors);
// Reports the keys of `map` that are not allowed.
void refuse_unknown_keys(const Node& map, const std::string& path, const std::vector<std::string>& allowed,
                         Errors& errors);
// A tree on one line, as `[1, 2]` or `{a: 1}`.
std::string one_line(const Node& node);
// The double that prints as the float does: 0.1f gives 0.1.
double shortest_double(float value);
}  // namespace detail

template <class T>
void bind_value(const Node& node, const std::string& path, const Field& field, T& out, Errors& errors,
                Parts parts);

// The visitor that reads a struct's fields from a map.
class Binder {
 public:
  Binder(const Node& map, std::string path, Errors& errors, Parts parts)
      : map_(map), path_(std::move(path)), errors_(errors), parts_(parts) {}

  template <class T>
  void operator()(const char* name, T& value, const Field& field = {}) {
    names_.emplace_back(name);
    if (const Node* node = map_.find(name))
      bind_value(*node, join_path(path_, name), field, value, errors_, parts_);
  }

  template <class E>
  void choice(const char* name, E& value,
              std::initializer_list<std::pair<const char*, std::type_identity_t<E>>> options,
              const Field& = {}) {
    names_.emplace_back(name);
    const Node* node = map_.find(name);
    if (!node) return;
    std::vector<std::string> known;
    for (const auto& option : options) known.emplace_back(option.first);
    std::size_t index = 0;
    if (detail::read_choice(*node, join_path(path_, name), known, index, errors_))
      value = std::data(options)[index].second;
  }

  void finish() { detail::refuse_unknown_keys(map_, path_, names_, errors_); }
  void allow(const char* name) { names_.emplace_back(name); }

 private:
  const Node& map_;
  std::string path_;
  Errors& errors_;
  Parts parts_;
  std::vector<std::string> names_;
};

// Fills `out` from `map`; keys that are absent keep their defaults. Adds to `errors` every unknown key, wrong
// type, value out of range, NaN and `???`. `path` is the dotted key of `map`. `consumed` names a key that
// belongs to another.
template <class T>
void bind(const Node& map, T& out, Errors& errors, const std::string& path = "",
          Parts parts = Parts::kConstruct, const char* consumed = nullptr) {
  if (!detail::expect_kind(map, path, Node::Kind::kMap, errors)) return;
  Binder binder(map, path, errors, parts);
  if (consumed) binder.allow(consumed);
  out.fields(binder);
  binder.finish();
}

// The bound struct. ConfigurationError with every error found.
template <class T>
T bind(const Node& map) {
  T out;
  Errors errors;
  bind(map, out, errors);
  errors.throw_if_any();
  return out;
}

// Reads one value of any supported type.
template <class T>
void bind_value(const Node& node, const std::string& path, const Field& field, T& out, Errors& errors,
                Parts parts) {
  if constexpr (std::same_as<T, Node>) {
    out = node;
  } else if constexpr (std::same_as<T, bool>) {
    detail::read_bool(node, path, out, errors);
  } else if constexpr (Integer<T>) {
    std::int64_t value = 0;
    if (detail::read_integer(node, path, field, std::is_signed_v<T> ? std::numeric_limits<T>::min() : T{0},
                             static_cast<std::uint64_t>(std::numeric_limits<T>::max()), value, errors))
      out = static_cast<T>(value);
  } else if constexpr (std::floating_point<T>) {
    double value = 0;
    if (detail::read_real(node, path, field, value, errors)) out = static_cast<T>(value);
  } else if constexpr (std::same_as<T, std::string> || std::same_as<T, std::filesystem::path>) {
    std::string value;
    if (detail::read_text(node, path, value, errors)) out = T(value);
  } else if constexpr (IsOptional<T>::value) {
    if (node.is_null()) {
      out.reset();
    } else {
      bind_value(node, path, field, out.emplace(), errors, parts);
    }
  } else if constexpr (IsVector<T>::value) {
    if (!detail::expect_kind(node, path, Node::Kind::kList, errors)) return;
    out.clear();
    for (std::size_t i = 0; i < node.items().size(); ++i) {
      typename T::value_type item{};
      bind_value(node.items()[i], join_path(path, std::to_string(i)), field, item, errors, parts);
      out.push_back(std::move(item));
    }
  } else if constexpr (IsTextMap<T>::value) {
    if (!detail::expect_kind(node, path, Node::Kind::kMap, errors)) return;
    out.clear();
    for (const Entry& entry : node.entries())
      bind_value(entry.value, join_path(path, entry.key), field, out[entry.key], errors, parts);
  } else if constexpr (IsPart<T>::value) {
    if (node.is_null()) {
      out.reset();
    } else if (parts == Parts::kConstruct) {
      out = Registry<typename T::element_type>::build(node, errors, path);
    } else {
      Registry<typename T::element_type>::check(node, errors, path);
    }
  } else {
    static_assert(Configurable<T>, "this type cannot be a field of a configuration");
    bind(node, out, errors, path, parts);
  }
}

}  // namespace canvaslab::config
