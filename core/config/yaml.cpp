// Builds the tree from yaml-cpp's events rather than its nodes: the events show duplicate keys, quoting and
// lines, and the limits stop a hostile text before memory is spent.
#include "core/config/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <unordered_set>

#include "core/config/scalar.h"
#include "core/error.h"

namespace canvaslab::config {
namespace {

// A comment put behind the text. yaml-cpp lets a quoted scalar end with the file; one that holds this mark
// has no end.
constexpr std::string_view kEndMark = "# <end of the configuration file>\n";

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::shared_ptr<const std::string> name, const YamlLimits& limits)
      : name_(std::move(name)), limits_(limits) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { leaf(mark, anchor, Node()); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail(mark, "an alias stands inside the value that it names");
    count(mark, count_nodes(found->second) - 1);
    leaf(mark, 0, found->second);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    last_is_plain_ = tag == "?";
    try {
      leaf(mark, anchor, scalar(mark, tag, text));
    } catch (const ConfigurationError& error) {
      if (std::string_view(error.what()).starts_with(*name_)) throw;
      fail(mark, error.what());
    }
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    if (!tag.empty() && tag != "?" && tag != "!" && tag != "tag:yaml.org,2002:seq")
      fail(mark, "the tag '" + tag + "' is not known");
    open(mark, anchor, Node::list());
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    if (!tag.empty() && tag != "?" && tag != "!" && tag != "tag:yaml.org,2002:map")
      fail(mark, "the tag '" + tag + "' is not known");
    open(mark, anchor, Node::map());
  }
  void OnMapEnd() override { close(); }

  Node take() { return std::move(root_); }

 private:
  // A list or map whose end has not come yet.
  struct Open {
    Node node;
    YAML::anchor_t anchor = 0;
    std::optional<std::string> key;  // read, its value not yet
    Source key_source;
    bool key_merges = false;  // a plain `<<`
    std::unordered_set<std::string> keys;
    std::vector<Node> merged;  // values of `<<`, in order
  };

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& what) const {
    throw ConfigurationError(*name_ + ": line " + std::to_string(mark.line + 1) + ", column " +
                             std::to_string(mark.column + 1) + ": " + what);
  }

  void count(const YAML::Mark& mark, std::size_t more) {
    nodes_ += more;
    if (nodes_ > limits_.nodes)
      fail(mark, "the file has more than " + std::to_string(limits_.nodes) + " values (aliases counted)");
  }

  Node scalar(const YAML::Mark& mark, const std::string& tag, const std::string& text) const {
    constexpr std::string_view kPrefix = "tag:yaml.org,2002:";
    if (tag.empty() || tag == "?") return plain_scalar(text);
    if (text.find(kEndMark.substr(0, kEndMark.size() - 1)) != std::string::npos)
      fail(mark, "the quote that starts here does not end");
    if (tag == "!") return string_scalar(text);
    if (!tag.starts_with(kPrefix)) fail(mark, "the tag '" + tag + "' is not known");
    const std::string type = tag.substr(kPrefix.size());
    if (type == "str") return string_scalar(text);
    Node value = plain_scalar(text);
    if (type == "float" && value.is_integer()) value = Node(static_cast<double>(value.as_integer()));
    const bool fits = (type == "int" && value.is_integer()) || (type == "float" && value.is_real()) ||
                      (type == "bool" && value.is_bool()) || (type == "null" && value.is_null());
    if (!fits) fail(mark, "the tag '!!" + type + "' does not fit the value '" + text + "'");
    return value;
  }

  Source source(const YAML::Mark& mark) const { return {name_, mark.line + 1}; }

  void leaf(const YAML::Mark& mark, YAML::anchor_t anchor, Node node) {
    count(mark, 1);
    // An alias keeps the place of the value that it names.
    if (!node.source().where) node.at(source(mark));
    if (anchor) anchors_[anchor] = node;
    put(mark, std::move(node));
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, Node node) {
    count(mark, 1);
    if (static_cast<int>(stack_.size()) >= limits_.depth)
      fail(mark, "values are nested more than " + std::to_string(limits_.depth) + " deep");
    if (!stack_.empty() && stack_.back().node.is_map() && !stack_.back().key)
      fail(mark, "a key must be a scalar, not a list or a map");
    node.at(source(mark));
    stack_.push_back(
        {.node = std::move(node), .anchor = anchor, .key = {}, .key_source = {}, .keys = {}, .merged = {}});
  }

  void close() {
    Open done = std::move(stack_.back());
    stack_.pop_back();
    apply_merges(done);
    if (done.anchor) anchors_[done.anchor] = done.node;
    const YAML::Mark none = YAML::Mark::null_mark();
    put(none, std::move(done.node));
  }

  // Puts a finished value where it belongs: the root, a list, a map's key or a map's value.
  void put(const YAML::Mark& mark, Node node) {
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& top = stack_.back();
    if (top.node.is_list()) {
      top.node.items().push_back(std::move(node));
    } else if (!top.key) {
      take_key(mark, top, node);
    } else {
      if (top.key_merges) {
        top.merged.push_back(std::move(node));
      } else {
        // The value of a key stands where the key stands: block maps and lists start a line later.
        node.at(top.key_source);
        top.node.entries().push_back({*top.key, std::move(node)});
      }
      top.key.reset();
    }
  }

  void take_key(const YAML::Mark& mark, Open& top, const Node& node) {
    if (node.is_list() || node.is_map()) fail(mark, "a key must be a scalar, not a list or a map");
    if (node.is_null()) fail(mark, "a key must not be null");
    std::string key = bare_text(node);
    if (!top.keys.insert(key).second) fail(mark, "found duplicate key " + key);
    top.key_merges = key == "<<" && last_is_plain_;
    top.key = std::move(key);
    top.key_source = node.source();
  }

  // `<<: *base`: keys of the base that the map does not have itself; they come first, as in PyYAML.
  void apply_merges(Open& done) const {
    if (done.merged.empty()) return;
    std::vector<const Node*> bases;
    for (const Node& merged : done.merged) {
      if (!merged.is_list())
        bases.push_back(&merged);
      else
        for (const Node& item : merged.items()) bases.push_back(&item);
    }
    Node result = Node::map();
    for (auto base = bases.rbegin(); base != bases.rend(); ++base) {
      if (!(*base)->is_map())
        throw ConfigurationError((*base)->source().text() + ": `<<` needs a map or a list of maps, not " +
                                 brief(**base));
      for (const Entry& entry : (*base)->entries()) result.set(entry.key, entry.value);
    }
    for (Entry& entry : done.node.entries()) result.set(entry.key, std::move(entry.value));
    done.node = std::move(result.at(done.node.source()));
  }

  std::shared_ptr<const std::string> name_;
  YamlLimits limits_;
  std::size_t nodes_ = 0;
  bool last_is_plain_ = false;  // whether the last scalar was unquoted
  std::vector<Open> stack_;
  std::map<YAML::anchor_t, Node> anchors_;
  Node root_;
};

}  // namespace

Node parse_yaml(std::string_view text, const std::string& name, const YamlLimits& limits) {
  if (text.size() > limits.bytes)
    throw ConfigurationError(name + ": longer than " + std::to_string(limits.bytes) + " bytes");
  std::string marked(text);
  if (!marked.empty() && marked.back() != '\n') marked += '\n';
  std::istringstream stream(marked.append(kEndMark));
  TreeBuilder builder(std::make_shared<const std::string>(name), limits);
  try {
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    TreeBuilder second(std::make_shared<const std::string>(name), limits);
    if (parser.HandleNextDocument(second)) throw ConfigurationError(name + ": more than one YAML document");
  } catch (const YAML::Exception& error) {
    throw ConfigurationError(name + ": line " + std::to_string(error.mark.line + 1) + ", column " +
                             std::to_string(error.mark.column + 1) + ": " + error.msg);
  }
  return builder.take();
}

std::string read_text(const std::filesystem::path& file, std::size_t most_bytes) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream || std::filesystem::is_directory(file))
    throw ConfigurationError(file.string() + ": cannot be read");
  std::string text(most_bytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > most_bytes)
    throw ConfigurationError(file.string() + ": longer than " + std::to_string(most_bytes) + " bytes");
  return text;
}

Node read_yaml(const std::filesystem::path& file, const YamlLimits& limits) {
  return parse_yaml(read_text(file, limits.bytes), file.string(), limits);
}

}  // namespace canvaslab::config
