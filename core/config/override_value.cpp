// Parses the value of an override by recursive descent over its tokens.
#include "core/config/override_value.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <unordered_map>

#include "core/config/override_functions.h"
#include "core/config/override_lexer.h"
#include "core/config/override_sweeps.h"
#include "core/config/scalar.h"
#include "core/error.h"

namespace canvaslab::config {
namespace {

constexpr int kDeepest = 64;  // lists and dicts inside one another

// Removes the backslashes that stand before a quote; inside, others stay.
std::string unquoted(std::string_view text) {
  const char quote = text.front();
  std::string result;
  std::size_t backslashes = 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++backslashes;
      continue;
    }
    // Before a quote, pairs of backslashes become one and an odd one escapes the quote.
    result.append(text[i] == quote ? backslashes / 2 : backslashes, '\\');
    backslashes = 0;
    if (i + 1 < text.size()) result += text[i];
  }
  return result;
}

std::string without_underscores(std::string_view text) {
  std::string result(text);
  std::erase(result, '_');
  return result;
}

class ValueParser {
 public:
  ValueParser(std::string_view text, Source source)
      : source_(std::move(source)), tokens_(tokenize_value(text)) {}

  ParsedValue parse() {
    if (peek() == TokenKind::kEnd) return {at_source(Node("")), "", {}};
    std::vector<ParsedValue> elements{element(0)};
    while (take(TokenKind::kComma)) elements.push_back(element(0));
    if (peek() != TokenKind::kEnd) fail("the end or a comma");
    if (elements.size() == 1) return std::move(elements[0]);
    return simple_choice(std::move(elements));
  }

 private:
  TokenKind peek(std::size_t ahead = 0) const {
    return tokens_[std::min(next_ + ahead, tokens_.size() - 1)].kind;
  }

  bool take(TokenKind kind) {
    if (peek() != kind) return false;
    ++next_;
    return true;
  }

  [[noreturn]] void fail(const std::string& expected) const {
    const Token& token = tokens_[next_];
    throw ConfigurationError(
        "position " + std::to_string(token.position + 1) + ": expected " + expected + ", found " +
        (token.kind == TokenKind::kEnd ? "the end" : "'" + std::string(token.text) + "'"));
  }

  Node at_source(Node node) const { return std::move(node.at(source_)); }

  ParsedValue element(int depth) {
    if (depth > kDeepest) throw ConfigurationError("lists and dicts are nested more than 64 deep");
    if (peek() == TokenKind::kBracketOpen) return list(depth);
    if (peek() == TokenKind::kBraceOpen) return dict(depth);
    if (peek() == TokenKind::kName && peek(1) == TokenKind::kParenthesisOpen) return function(depth);
    return primitive(false);
  }

  // An element that may not be a sweep.
  ParsedValue plain(int depth) {
    ParsedValue value = element(depth);
    if (value.sweep) throw ConfigurationError("a sweep cannot stand inside a list or a dict");
    return value;
  }

  ParsedValue list(int depth) {
    ++next_;
    Node result = Node::list();
    std::string text;
    if (!take(TokenKind::kBracketClose)) {
      do {
        ParsedValue item = plain(depth + 1);
        text += (result.items().empty() ? "" : ",") + item.text;
        result.items().push_back(std::move(item.node));
      } while (take(TokenKind::kComma));
      if (!take(TokenKind::kBracketClose)) fail("']' or ','");
    }
    return {at_source(std::move(result)), "[" + text + "]", {}};
  }

  // Of equal keys the last value counts, at the first one's place.
  ParsedValue dict(int depth) {
    ++next_;
    Node result = Node::map();
    std::vector<std::string> texts;
    std::unordered_map<std::string, std::size_t> places;
    if (!take(TokenKind::kBraceClose)) {
      do {
        const ParsedValue key = primitive(true);
        if (key.node.is_null()) throw ConfigurationError("a key of a dict cannot be null");
        if (!take(TokenKind::kColon)) fail("':'");
        ParsedValue value = plain(depth + 1);
        const auto [place, fresh] = places.try_emplace(bare_text(key.node), texts.size());
        if (fresh) {
          texts.emplace_back();
          result.entries().push_back({place->first, Node()});
        }
        texts[place->second] = key.text + ":" + value.text;
        result.entries()[place->second].value = std::move(value.node);
      } while (take(TokenKind::kComma));
      if (!take(TokenKind::kBraceClose)) fail("'}' or ','");
    }
    std::string text;
    for (const std::string& item : texts) text += (text.empty() ? "" : ",") + item;
    return {at_source(std::move(result)), "{" + text + "}", {}};
  }

  ParsedValue function(int depth) {
    FunctionCall call;
    call.name = std::string(tokens_[next_].text);
    next_ += 2;
    if (!take(TokenKind::kParenthesisClose)) {
      do {
        if (peek() == TokenKind::kName && peek(1) == TokenKind::kEqual) {
          const std::string name(tokens_[next_].text);
          next_ += 2;
          call.named.emplace_back(name, element(depth + 1));
        } else {
          if (!call.named.empty())
            throw ConfigurationError("in " + call.name + "(...): a positional argument follows a named one");
          call.arguments.push_back(element(depth + 1));
        }
      } while (take(TokenKind::kComma));
      if (!take(TokenKind::kParenthesisClose)) fail("')' or ','");
    }
    for (ParsedValue& argument : call.arguments) forget_quotes(argument);
    for (auto& [name, argument] : call.named) forget_quotes(argument);
    ParsedValue result = evaluate(std::move(call));
    result.node.at(source_);
    return result;
  }

  // Functions see texts, not quotes.
  static void forget_quotes(ParsedValue& value) {
    if (!value.sweep && value.node.is_string()) value.text = override_text(value.node);
  }

  static bool is_primitive_part(TokenKind kind, bool key) {
    switch (kind) {
      case TokenKind::kName:
      case TokenKind::kNull:
      case TokenKind::kInteger:
      case TokenKind::kReal:
      case TokenKind::kBool:
      case TokenKind::kOther:
      case TokenKind::kEscape:
      case TokenKind::kSpace:
        return true;
      case TokenKind::kInterpolation:
      case TokenKind::kColon:
        return !key;
      default:
        return false;
    }
  }

  ParsedValue primitive(bool key) {
    if (!key && peek() == TokenKind::kQuoted) {
      const std::string_view quoted = tokens_[next_++].text;
      return {at_source(string_scalar(unquoted(quoted))), std::string(quoted), {}};
    }
    std::size_t first = next_;
    while (is_primitive_part(peek(), key)) ++next_;
    std::size_t last = next_;
    if (first == last) fail(key ? "a key" : "a value");
    if (tokens_[first].kind == TokenKind::kSpace) ++first;
    if (last > first && tokens_[last - 1].kind == TokenKind::kSpace) --last;
    if (first == last) throw ConfigurationError("a value of blanks only must be quoted");
    if (last - first == 1) return ParsedValue::plain(at_source(single(tokens_[first])));
    std::string text;
    for (std::size_t i = first; i < last; ++i) text += part(tokens_[i]);
    return ParsedValue::plain(at_source(string_scalar(std::move(text))));
  }

  static std::string part(const Token& token) {
    if (token.kind != TokenKind::kEscape) return std::string(token.text);
    std::string result;
    for (std::size_t i = 1; i < token.text.size(); i += 2) result += token.text[i];
    return result;
  }

  static Node single(const Token& token) {
    switch (token.kind) {
      case TokenKind::kNull:
        return Node();
      case TokenKind::kBool:
        return Node(token.text[0] == 't' || token.text[0] == 'T');
      case TokenKind::kReal:
        return Node(std::strtod(without_underscores(token.text).c_str(), nullptr));
      case TokenKind::kInteger:
        return integer(token.text);
      default:
        return string_scalar(part(token));
    }
  }

  static Node integer(std::string_view text) {
    std::string digits = without_underscores(text);
    if (digits[0] == '+') digits.erase(0, 1);
    std::int64_t value = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (result.ec != std::errc())
      throw ConfigurationError("the integer " + std::string(text) + " does not fit 64 bits");
    return Node(value);
  }

  Source source_;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
};

}  // namespace

ParsedValue parse_sweep_or_value(std::string_view text, const Source& source) {
  return ValueParser(text, source).parse();
}

Node parse_value(const std::string& text, const Source& source) {
  ParsedValue value = parse_sweep_or_value(text, source);
  if (value.sweep)
    throw ConfigurationError("'" + text + "' is a list of values; put it in brackets or quotes");
  return std::move(value.node);
}

}  // namespace canvaslab::config
