// The options of an interface, found by name. An option's .cpp registers it with its last line:
//
//   CANVASLAB_REGISTER(SelectionRule, EntropyBound, "entropy_bound", "Commits ... up to a bound", "arXiv
//   2505.24857");
//
// The class has a `struct Config` that lists its fields (core/config/fields.h) and a constructor that takes
// it, which may throw ConfigurationError for checks across fields. Its configuration is a map: `name` and the
// fields of Config.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/bind.h"
#include "core/config/describe.h"
#include "core/error.h"
#include "core/nearest.h"

namespace canvaslab {

template <class Interface>
class Registry {
 public:
  // What a registrar stores: pointers only, since it runs before main().
  struct Option {
    const char* name;
    const char* description;  // one line
    const char* paper;        // "arXiv 2505.24857", or ""
    const char* file;         // where it is registered
    int line;
    std::unique_ptr<Interface> (*construct)(const config::Node&, config::Errors&, const std::string& path);
    void (*check)(const config::Node&, config::Errors&, const std::string& path);
    config::Node (*effective)(const config::Node&, config::Errors&);
    std::vector<config::FieldDescription> (*describe)();
  };

  template <class Class>
  static bool add(const char* file, int line, const char* name, const char* description,
                  const char* paper = "") {
    options().push_back({name, description, paper, file, line, &construct<Class>, &check_one<Class>,
                         &effective_one<Class>, &config::describe<typename Class::Config>});
    return true;
  }

  // Every option's name, sorted. Error when two options share a name.
  static std::vector<std::string> names() {
    std::vector<std::string> result;
    for (const Option& option : checked_options()) result.emplace_back(option.name);
    std::sort(result.begin(), result.end());
    return result;
  }

  // "a, b, c": for messages.
  static std::string names_text() {
    std::string text;
    for (const std::string& name : names()) text += (text.empty() ? "" : ", ") + name;
    return text;
  }

  // The option of that name, or null.
  static const Option* find(std::string_view name) {
    for (const Option& option : checked_options())
      if (name == option.name) return &option;
    return nullptr;
  }

  // Builds the option that the map's `name` says from the map's other keys. Null, with errors added, when
  // something is wrong. `path` is the dotted key of the node.
  static std::unique_ptr<Interface> build(const config::Node& node, config::Errors& errors,
                                          const std::string& path = "") {
    const Option* option = chosen(node, errors, path);
    return option ? option->construct(node, errors, path) : nullptr;
  }

  // The same; ConfigurationError with every error found.
  static std::unique_ptr<Interface> build(const config::Node& node) {
    config::Errors errors;
    std::unique_ptr<Interface> result = build(node, errors);
    errors.throw_if_any();
    return result;
  }

  // Checks names, keys and values without constructing anything.
  static void check(const config::Node& node, config::Errors& errors, const std::string& path = "") {
    if (const Option* option = chosen(node, errors, path)) option->check(node, errors, path);
  }

  // The map with `name` and the values of every field, defaults included. ConfigurationError as for build.
  static config::Node effective(const config::Node& node) {
    config::Errors errors;
    const Option* option = chosen(node, errors, "");
    config::Node result = option ? option->effective(node, errors) : config::Node();
    errors.throw_if_any();
    return result;
  }

 private:
  // Never destroyed, so that no order of initialisation or destruction matters.
  static std::vector<Option>& options() {
    static auto* all = new std::vector<Option>;
    return *all;
  }

  static const std::vector<Option>& checked_options() {
    std::vector<Option>& all = options();
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = i + 1; j < all.size(); ++j)
        if (std::string_view(all[i].name) == all[j].name)
          throw Error("the option '" + std::string(all[i].name) + "' is registered twice: " + place(all[i]) +
                      " and " + place(all[j]));
    return all;
  }

  static std::string place(const Option& option) {
    return std::string(option.file) + ":" + std::to_string(option.line);
  }

  static const Option* chosen(const config::Node& node, config::Errors& errors, const std::string& path) {
    if (!config::detail::expect_kind(node, path, config::Node::Kind::kMap, errors)) return nullptr;
    const std::string name_path = config::join_path(path, "name");
    const config::Node* name = node.find("name");
    if (!name) {
      errors.add(node, name_path, "is missing; expected one of " + names_text());
      return nullptr;
    }
    std::string text;
    if (!config::detail::read_text(*name, name_path, text, errors)) return nullptr;
    const Option* option = find(text);
    if (!option) {
      const std::vector<std::string> known = names();
      errors.add(*name, name_path,
                 "unknown option '" + text + "'" + did_you_mean(text, known) +
                     (known.empty() ? "; there are none" : "; expected one of " + names_text()));
    }
    return option;
  }

  template <class Class>
  static std::unique_ptr<Interface> construct(const config::Node& node, config::Errors& errors,
                                              const std::string& path) {
    const std::size_t before = errors.size();
    typename Class::Config values;
    config::bind(node, values, errors, path, config::Parts::kConstruct, "name");
    if (errors.size() > before) return nullptr;
    try {
      return std::make_unique<Class>(std::move(values));
    } catch (const ConfigurationError& error) {
      errors.add(node, path, error.what());
      return nullptr;
    }
  }

  template <class Class>
  static void check_one(const config::Node& node, config::Errors& errors, const std::string& path) {
    typename Class::Config values;
    config::bind(node, values, errors, path, config::Parts::kCheckOnly, "name");
  }

  template <class Class>
  static config::Node effective_one(const config::Node& node, config::Errors& errors) {
    typename Class::Config values;
    config::bind(node, values, errors, "", config::Parts::kCheckOnly, "name");
    config::Node result = config::Node::map();
    if (!errors.empty()) return result;
    result.set("name", *node.find("name"));
    const config::Node fields = config::to_node(values, &node);
    for (const config::Entry& entry : fields.entries()) result.set(entry.key, entry.value);
    return result;
  }
};

}  // namespace canvaslab

// CANVASLAB_REGISTER(Interface, Class, name, description[, paper])
#define CANVASLAB_REGISTER(Interface, Class, ...)         \
  [[maybe_unused]] static const bool registered_##Class = \
      ::canvaslab::Registry<Interface>::template add<Class>(__FILE__, __LINE__, __VA_ARGS__)
