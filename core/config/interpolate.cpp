// Evaluates interpolations lazily, each at its own place, so that relative ones and those behind aliases mean
// what they mean there; the work is bounded, so that hostile trees end in an error.
#include "core/config/interpolate.h"

#include <algorithm>
#include <charconv>
#include <deque>

#include "core/config/errors.h"
#include "core/config/interpolation_parser.h"
#include "core/config/override.h"
#include "core/config/resolvers.h"
#include "core/config/scalar.h"
#include "core/error.h"
#include "core/nearest.h"

namespace canvaslab::config {
namespace {

constexpr std::size_t kMostSteps = 200'000;      // values made and interpolations evaluated
constexpr std::size_t kMostDepth = 128;          // interpolations that wait for one another
constexpr std::size_t kLongestText = 1 << 20;    // bytes
constexpr std::size_t kLongestSource = 1 << 16;  // bytes of a text that holds interpolations

using Path = std::vector<std::string>;

std::string text_of(const Path& path) {
  std::string text;
  for (const std::string& part : path) text = join_path(text, part);
  return text;
}

// A value in the tree with its place, or a value that a resolver made.
struct Place {
  const Node* node = nullptr;  // null: there is none
  Path path;
  bool is_final = false;  // made by a resolver: nothing in it needs resolving
};

// Unwinds to the value that needs a `???`.
struct MandatoryTarget : ConfigurationError {
  using ConfigurationError::ConfigurationError;
};

class Resolution : public ResolverContext {
 public:
  Resolution(const Node& root, const ResolveOptions& options) : root_(root), options_(options) {}

  Node value(const Node& node, const Path& path) {
    step(node, path);
    if (node.is_string() && has_interpolation(node.as_string())) return evaluate_or_spread(node, path);
    if (node.is_mandatory() && options_.refuse_mandatory) fail(node, path, "is still ??? and must be set");
    Node result = node;
    if (node.is_list()) {
      for (std::size_t i = 0; i < node.items().size(); ++i)
        result.items()[i] = value(node.items()[i], below(path, std::to_string(i)));
    } else if (node.is_map()) {
      for (std::size_t i = 0; i < node.entries().size(); ++i)
        result.entries()[i].value = value(node.entries()[i].value, below(path, node.entries()[i].key));
    }
    return result;
  }

  // For resolvers.
  std::optional<Node> select_value(const std::string& key) override {
    const Place place = locate(split_path(key), current_path_, nullptr);
    if (!place.node || place.node->is_mandatory()) return std::nullopt;
    return value_of(place);
  }
  std::optional<Node> select_hydra(const std::string& key) override {
    const Node* hydra = options_.hydra ? options_.hydra : root_.find("hydra");
    if (!hydra) return std::nullopt;
    const Node* found = select(*hydra, key);
    if (!found) return std::nullopt;
    Path path = split_path(key);
    path.insert(path.begin(), "hydra");
    return value(*found, path);
  }
  Node resolve_inside(const Node& node) override { return value(node, current_path_); }

 private:
  [[noreturn]] void fail(const Node& node, const Path& path, const std::string& what) const {
    std::string message = node.source().text();
    if (!message.empty()) message += ": ";
    throw ConfigurationError(message + what + "\n    full_key: " + text_of(path));
  }

  void step(const Node& node, const Path& path) {
    if (++steps_ > kMostSteps)
      fail(node, path, "resolving interpolations takes too many steps; do they multiply?");
  }

  static Path below(Path path, const std::string& part) {
    path.push_back(part);
    return path;
  }

  Node value_of(const Place& place) { return place.is_final ? *place.node : value(*place.node, place.path); }

  Node evaluate_or_spread(const Node& node, const Path& path) {
    if (!options_.spread_mandatory) return evaluate(node, path);
    const std::size_t waiting = waiting_.size(), following = following_.size(), nested = nested_;
    try {
      return evaluate(node, path);
    } catch (const MandatoryTarget&) {
      waiting_.resize(waiting);
      following_.resize(following);
      nested_ = nested;
      return std::move(Node(Mandatory{}).at(node.source()));
    }
  }

  // Evaluates a text at its place.
  Node evaluate(const Node& node, const Path& path) {
    const std::string here = text_of(path);
    if (std::find(waiting_.begin(), waiting_.end(), here) != waiting_.end()) {
      std::string chain;
      for (auto it = std::find(waiting_.begin(), waiting_.end(), here); it != waiting_.end(); ++it)
        chain += *it + " -> ";
      fail(node, path, "Interpolation cycle: " + chain + here);
    }
    if (waiting_.size() >= kMostDepth) fail(node, path, "more than 128 interpolations wait for one another");
    waiting_.push_back(here);
    Node result = evaluate_text(node, node.as_string(), path);
    waiting_.pop_back();
    return result;
  }

  Node evaluate_text(const Node& node, const std::string& text, const Path& path) {
    step(node, path);
    if (text.size() > kLongestSource) fail(node, path, "a text with interpolations is longer than 64 KiB");
    if (++nested_ > kMostDepth) fail(node, path, "interpolations are nested more than 128 deep");
    Node result = evaluate_pieces(node, text, path);
    --nested_;
    return result;
  }

  Node evaluate_pieces(const Node& node, const std::string& text, const Path& path) {
    std::vector<TextPiece> pieces;
    try {
      pieces = split_text(text);
    } catch (const ConfigurationError& error) {
      fail(node, path, error.what());
    }
    if (pieces.size() == 1 && pieces[0].is_interpolation) {
      Node result = value_of(target(node, pieces[0].text, path));
      return std::move(result.at(node.source()));
    }
    std::string joined;
    for (const TextPiece& piece : pieces) {
      joined += piece.is_interpolation ? text_value(node, piece.text, path) : piece.text;
      if (joined.size() > kLongestText) fail(node, path, "the text grows beyond 1 MiB");
    }
    return std::move(Node(std::move(joined)).at(node.source()));
  }

  std::string text_value(const Node& node, const std::string& inside, const Path& path) {
    const Node part = value_of(target(node, inside, path));
    if (part.is_list() || part.is_map())
      fail(node, path, "'${" + inside + "}' is " + brief(part) + "; it cannot stand inside text");
    return bare_text(part);
  }

  // What the inside of an interpolation stands for.
  Place target(const Node& node, const std::string& inside, const Path& path) {
    if (const auto call = resolver_call(inside))
      return {&made_.emplace_back(call_resolver(node, *call, path)), path, true};
    std::string key = trimmed(inside);
    if (has_interpolation(key)) key = bare_text(evaluate_text(node, key, path));
    std::size_t dots = 0;
    while (dots < key.size() && key[dots] == '.') ++dots;
    Path wanted;
    if (dots > 0) {
      if (dots > path.size()) fail(node, path, "Interpolation key '" + key + "' leads above the root");
      wanted.assign(path.begin(), path.end() - static_cast<std::ptrdiff_t>(dots));
    }
    for (std::string& part : split_path(std::string_view(key).substr(dots)))
      wanted.push_back(std::move(part));
    std::string suggestion;
    Place place = locate(wanted, path, &suggestion);
    if (!place.node) fail(node, path, "Interpolation key '" + key + "' not found" + suggestion);
    if (place.node->is_mandatory()) {
      if (options_.spread_mandatory) throw MandatoryTarget("");
      fail(node, path, "Interpolation key '" + key + "' is ??? and must be set");
    }
    return place;
  }

  // Walks from the root, through aliases. `suggestion` receives the nearest key where the walk ends.
  // Only hydra's own values see each other as `hydra.*`.
  Place locate(const Path& path, const Path& from, std::string* suggestion) {
    Place place{&root_, {}, false};
    const bool own = options_.hydra && !from.empty() && from[0] == "hydra" && !root_.find("hydra");
    for (const std::string& part : path) {
      place = follow(place);
      const Node* child = select(*place.node, part);
      if (place.node->is_map()) child = place.node->find(part);
      if (own && place.path.empty() && part == "hydra") child = options_.hydra;
      if (!child) {
        if (suggestion && place.node->is_map()) {
          std::vector<std::string> known;
          for (const Entry& entry : place.node->entries()) known.push_back(entry.key);
          *suggestion = did_you_mean(part, known);
        }
        return {};
      }
      place.node = child;
      place.path.push_back(part);
    }
    return place;
  }

  // The place that an alias stands for; other places are their own.
  Place follow(Place place) {
    if (place.is_final || !place.node->is_string() || !has_interpolation(place.node->as_string()))
      return place;
    const Node& node = *place.node;
    const std::vector<TextPiece> pieces = split_text(node.as_string());
    if (pieces.size() != 1 || !pieces[0].is_interpolation || resolver_call(pieces[0].text))
      return {&made_.emplace_back(evaluate(node, place.path)), place.path, true};
    const std::string here = text_of(place.path);
    if (std::find(following_.begin(), following_.end(), here) != following_.end() ||
        following_.size() >= kMostDepth)
      fail(node, place.path, "Interpolation cycle at " + here);
    following_.push_back(here);
    Place result = follow(target(node, pieces[0].text, place.path));
    following_.pop_back();
    return result;
  }

  Node call_resolver(const Node& node, const ResolverCall& call, const Path& path) {
    const Path outer = std::exchange(current_path_, path);
    std::vector<Node> arguments;
    try {
      for (const std::string& text : call.arguments) arguments.push_back(argument(node, text, path));
      Node result = run_resolver(call.name, arguments, *this);
      current_path_ = outer;
      return std::move(result.at(node.source()));
    } catch (const MandatoryTarget&) {
      throw;
    } catch (const ConfigurationError& error) {
      // An error of an interpolation further in names its own place already.
      if (std::string_view(error.what()).find("full_key:") != std::string_view::npos) throw;
      fail(node, path, "${" + call.name + ":...}: " + error.what());
    }
  }

  // An argument: quoted text, a list, a dict, a scalar, or text with interpolations.
  Node argument(const Node& node, const std::string& text, const Path& path) {
    const bool plain = !text.empty() && std::string_view("'\"[{").find(text[0]) == std::string_view::npos;
    if (plain && has_interpolation(text)) return evaluate_text(node, text, path);
    Node parsed = parse_value(text, node.source());
    return resolve_strings(parsed, path);
  }

  // Interpolations inside quotes and lists mean what they mean at the place of the whole text.
  Node resolve_strings(const Node& node, const Path& path) {
    if (node.is_string() && has_interpolation(node.as_string()))
      return evaluate_text(node, node.as_string(), path);
    Node result = node;
    if (node.is_list())
      for (Node& item : result.items()) item = resolve_strings(item, path);
    if (node.is_map())
      for (Entry& entry : result.entries()) entry.value = resolve_strings(entry.value, path);
    return result;
  }

  const Node& root_;
  ResolveOptions options_;
  std::size_t steps_ = 0;
  std::size_t nested_ = 0;            // texts inside one another that are being evaluated
  std::vector<std::string> waiting_;  // places being evaluated
  std::vector<std::string>
      following_;  // aliases being followed; their targets need not be evaluated for that
  std::deque<Node> made_;
  Path current_path_;
};

}  // namespace

Node resolve(const Node& root, const ResolveOptions& options) {
  return Resolution(root, options).value(root, {});
}

Node resolve_hydra(const Node& root, const Node& hydra, const std::string& key) {
  std::optional<Node> value = Resolution(root, {.hydra = &hydra}).select_hydra(key);
  if (!value) throw ConfigurationError("hydra." + key + " is missing");
  return std::move(*value);
}

Node resolve_text(const std::string& text, const Node& root, const ResolveOptions& options) {
  // A dotted path cannot hold this name: the text's place collides with no key.
  return Resolution(root, options).value(Node(text), {"<text>"});
}

}  // namespace canvaslab::config
