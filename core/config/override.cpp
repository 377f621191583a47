// Parses overrides: the key by hand, the value by recursive descent over its tokens.
#include "core/config/override.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "core/config/override_functions.h"
#include "core/config/override_lexer.h"
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
    if (peek() == TokenKind::kEnd) return {at_source(Node("")), {}};
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
    if (peek() == TokenKind::kBracketOpen) return {list(depth), {}};
    if (peek() == TokenKind::kBraceOpen) return {dict(depth), {}};
    if (peek() == TokenKind::kName && peek(1) == TokenKind::kParenthesisOpen) return function(depth);
    return {primitive(false), {}};
  }

  // An element that may not be a sweep.
  Node plain(int depth) {
    ParsedValue value = element(depth);
    if (value.sweep) throw ConfigurationError("a sweep cannot stand inside a list or a dict");
    return std::move(value.node);
  }

  Node list(int depth) {
    ++next_;
    Node result = Node::list();
    if (!take(TokenKind::kBracketClose)) {
      do result.items().push_back(plain(depth + 1));
      while (take(TokenKind::kComma));
      if (!take(TokenKind::kBracketClose)) fail("']' or ','");
    }
    return at_source(std::move(result));
  }

  Node dict(int depth) {
    ++next_;
    Node result = Node::map();
    if (!take(TokenKind::kBraceClose)) {
      do {
        const std::string key = bare_text(primitive(true));
        if (!take(TokenKind::kColon)) fail("':'");
        result.set(key, plain(depth + 1));
      } while (take(TokenKind::kComma));
      if (!take(TokenKind::kBraceClose)) fail("'}' or ','");
    }
    return at_source(std::move(result));
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
    ParsedValue result = evaluate(std::move(call));
    result.node.at(source_);
    return result;
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

  Node primitive(bool key) {
    if (!key && peek() == TokenKind::kQuoted)
      return at_source(string_scalar(unquoted(tokens_[next_++].text)));
    std::size_t first = next_;
    while (is_primitive_part(peek(), key)) ++next_;
    std::size_t last = next_;
    if (first == last) fail(key ? "a key" : "a value");
    if (tokens_[first].kind == TokenKind::kSpace) ++first;
    if (last > first && tokens_[last - 1].kind == TokenKind::kSpace) --last;
    if (first == last) throw ConfigurationError("a value of blanks only must be quoted");
    if (last - first == 1) return at_source(single(tokens_[first]));
    std::string text;
    for (std::size_t i = first; i < last; ++i) text += part(tokens_[i]);
    return at_source(string_scalar(std::move(text)));
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

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// A name in a key: letters, digits, '_', '-', and '$' where allowed; it does not start with a digit or '-'.
bool is_key_name(std::string_view part, bool dollar) {
  if (part.empty() || is_digit(part[0]) || part[0] == '-') return false;
  return std::all_of(part.begin(), part.end(), [&](char c) {
    return is_letter(c) || is_digit(c) || c == '_' || c == '-' || (dollar && c == '$');
  });
}

bool is_index(std::string_view part) {
  return !part.empty() && std::all_of(part.begin(), part.end(), is_digit) &&
         (part[0] != '0' || part.size() == 1);
}

bool all_parts(std::string_view text, char separator, bool (*accepts)(std::string_view)) {
  while (true) {
    const std::size_t end = text.find(separator);
    if (!accepts(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

bool is_package(std::string_view text) {
  if (text.empty() || is_key_name(text, true)) return true;
  return text.find('.') != std::string_view::npos && all_parts(text, '.', [](std::string_view part) {
           return is_key_name(part, true) || is_index(part);
         });
}

bool is_group(std::string_view text) {
  return all_parts(text, '/', [](std::string_view part) { return is_key_name(part, false); });
}

void parse_key(std::string_view text, Override& result) {
  const std::size_t at = text.find('@');
  result.key = std::string(text.substr(0, at));
  if (!is_package(result.key) && !is_group(result.key))
    throw ConfigurationError("'" + result.key + "' is no key (a.b.0) and no group (group/sub)");
  if (at == std::string_view::npos) return;
  result.package = std::string(text.substr(at + 1));
  if (!is_package(*result.package)) throw ConfigurationError("'" + *result.package + "' is no package (a.b)");
}

}  // namespace

Override parse_override(const std::string& word) {
  Override result;
  result.word = word;
  try {
    std::string_view rest = word;
    const auto skip = [&](std::string_view prefix, Override::Kind kind) {
      if (!rest.starts_with(prefix)) return false;
      rest.remove_prefix(prefix.size());
      result.kind = kind;
      return true;
    };
    if (!skip("++", Override::Kind::kForceAdd) && !skip("+", Override::Kind::kAdd))
      skip("~", Override::Kind::kDelete);
    const std::size_t equal = rest.find('=');
    parse_key(rest.substr(0, equal), result);
    if (equal == std::string_view::npos) {
      if (result.kind != Override::Kind::kDelete) throw ConfigurationError("'=' is missing");
      return result;
    }
    std::string_view text = rest.substr(equal + 1);
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    ParsedValue value = ValueParser(text, {std::make_shared<const std::string>(word), 0}).parse();
    if (value.sweep) {
      result.sweep = std::move(value.sweep);
    } else {
      result.value = std::move(value.node);
    }
  } catch (const ConfigurationError& error) {
    throw ConfigurationError("command line '" + word + "': cannot be parsed: " + error.what());
  }
  return result;
}

Node parse_value(const std::string& text, const Source& source) {
  ParsedValue value = ValueParser(text, source).parse();
  if (value.sweep)
    throw ConfigurationError("'" + text + "' is a list of values; put it in brackets or quotes");
  return std::move(value.node);
}

}  // namespace canvaslab::config
