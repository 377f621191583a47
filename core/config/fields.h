// What a configurable struct says about each of its fields, once, in its `fields(visit)`:
//
//   template <class Visitor> void fields(Visitor& visit) {
//     visit("bound", bound, {.unit = "nats", .meaning = "largest sum of entropies committed in a step",
//     .minimum = 0}); visit.choice("comparison", comparison, {{"strict", Comparison::kStrict}, {"inclusive",
//     Comparison::kInclusive}},
//                  {.meaning = "whether a sum equal to the bound passes"});
//   }
//
// The same list binds a configuration, checks it, writes effective values back and describes itself for
// --help.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "core/config/value.h"

namespace canvaslab {

template <class Interface>
class Registry;  // core/registry.h

namespace config {

// What a field means and which values it takes. Bounds hold for each number of a list.
struct Field {
  std::string unit = {};
  std::string meaning = {};
  std::optional<double> minimum = {};  // smallest value allowed
  std::optional<double> above = {};    // values must be larger
  std::optional<double> maximum = {};  // largest value allowed
  std::optional<double> below = {};    // values must be smaller
};

// A field as --help and traces show it.
struct FieldDescription {
  std::string name;           // dotted below nested structs
  std::string type;           // "number", "list of integer", "strict | inclusive", "integer or null" ...
  std::string default_value;  // as YAML on one line
  std::string unit;
  std::string meaning;
  std::string range;  // ">= 0, < 1", or ""
};

struct AnyVisitor;  // stands for every visitor

// A struct that lists its fields.
template <class T>
concept Configurable = std::is_class_v<T> && requires(T& value, AnyVisitor& visit) {
  value.fields(visit);
};

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

template <class T>
struct IsTextMap : std::false_type {};
template <class T>
struct IsTextMap<std::map<std::string, T>> : std::true_type {};

template <class T>
struct IsPart : std::false_type {};
template <class T>
struct IsPart<std::unique_ptr<T>> : std::true_type {};

template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;

// A value that a configuration writes as one scalar.
template <class T>
concept Scalar = Integer<T> || std::floating_point<T> || std::same_as<T, bool> ||
    std::same_as<T, std::string> || std::same_as<T, std::filesystem::path>;

// ">= 0, < 1", or "".
std::string range_text(const Field& field);

}  // namespace config
}  // namespace canvaslab
