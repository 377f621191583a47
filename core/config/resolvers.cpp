// The resolvers of OmegaConf and Hydra that configurations use. None runs code or reads files.
#include "core/config/resolvers.h"

#include <cstdlib>
#include <ctime>
#include <map>

#include "core/config/override.h"
#include "core/config/scalar.h"
#include "core/error.h"
#include "core/nearest.h"

namespace canvaslab::config {
namespace {

using Arguments = std::vector<Node>;

const std::string& text_argument(const Node& node) {
  if (!node.is_string()) throw ConfigurationError("expected text, found " + brief(node));
  return node.as_string();
}

Node environment(const Arguments& arguments, ResolverContext&) {
  const std::string name = bare_text(arguments[0]);
  if (const char* value = std::getenv(name.c_str())) return Node(value);
  if (arguments.size() < 2) throw ConfigurationError("Environment variable '" + name + "' not found");
  return arguments[1].is_null() ? Node() : Node(bare_text(arguments[1]));
}

Node decode(const Arguments& arguments, ResolverContext& context) {
  if (arguments[0].is_null()) return Node();
  return context.resolve_inside(parse_value(text_argument(arguments[0]), arguments[0].source()));
}

Node select_or(const Arguments& arguments, ResolverContext& context) {
  if (auto value = context.select_value(bare_text(arguments[0]))) return std::move(*value);
  return arguments.size() > 1 ? arguments[1] : Node();
}

Node create(const Arguments& arguments, ResolverContext&) {
  return arguments[0];
}

Node map_argument(const Node& argument, ResolverContext& context) {
  if (argument.is_map()) return argument;
  auto value = context.select_value(bare_text(argument));
  if (!value || !value->is_map())
    throw ConfigurationError("'" + bare_text(argument) + "' is " + (value ? brief(*value) : "missing") +
                             ", not a map");
  return std::move(*value);
}

Node keys(const Arguments& arguments, ResolverContext& context) {
  Node result = Node::list();
  const Node map = map_argument(arguments[0], context);
  for (const Entry& entry : map.entries()) result.items().emplace_back(entry.key);
  return result;
}

Node values(const Arguments& arguments, ResolverContext& context) {
  Node result = Node::list();
  const Node map = map_argument(arguments[0], context);
  for (const Entry& entry : map.entries()) result.items().push_back(entry.value);
  return result;
}

// One moment for the whole process, so that every mention of `now` agrees.
Node now(const Arguments& arguments, ResolverContext&) {
  static const std::time_t moment = std::time(nullptr);
  const std::string format = arguments.empty() ? "%Y-%m-%d_%H-%M-%S" : bare_text(arguments[0]);
  std::tm local{};
  localtime_r(&moment, &local);
  std::string text(256, '\0');
  text.resize(std::strftime(text.data(), text.size(), format.c_str(), &local));
  return Node(text);
}

Node hydra(const Arguments& arguments, ResolverContext& context) {
  const std::string key = arguments.empty() ? "" : bare_text(arguments[0]);
  if (auto value = context.select_hydra(key)) return std::move(*value);
  if (arguments.size() > 1) return arguments[1];
  throw ConfigurationError("the hydra settings have no '" + key + "'");
}

struct Resolver {
  Node (*run)(const Arguments&, ResolverContext&);
  std::size_t fewest, most;  // arguments
};

const std::map<std::string, Resolver>& resolvers() {
  static const auto* all = new std::map<std::string, Resolver>{{"oc.env", {environment, 1, 2}},
                                                               {"oc.decode", {decode, 1, 1}},
                                                               {"oc.select", {select_or, 1, 2}},
                                                               {"oc.create", {create, 1, 1}},
                                                               {"oc.dict.keys", {keys, 1, 1}},
                                                               {"oc.dict.values", {values, 1, 1}},
                                                               {"now", {now, 0, 1}},
                                                               {"hydra", {hydra, 0, 2}}};
  return *all;
}

}  // namespace

Node run_resolver(const std::string& name, const std::vector<Node>& arguments, ResolverContext& context) {
  const auto found = resolvers().find(name);
  if (found == resolvers().end()) {
    std::vector<std::string> known;
    for (const auto& [key, resolver] : resolvers()) known.push_back(key);
    throw ConfigurationError("Unsupported interpolation type " + name + did_you_mean(name, known));
  }
  const Resolver& resolver = found->second;
  if (arguments.size() < resolver.fewest || arguments.size() > resolver.most)
    throw ConfigurationError("takes " + std::to_string(resolver.fewest) + " to " +
                             std::to_string(resolver.most) + " arguments, found " +
                             std::to_string(arguments.size()));
  return resolver.run(arguments, context);
}

}  // namespace canvaslab::config
