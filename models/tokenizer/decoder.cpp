// Each step maps a list of tokens to a list of tokens; what is left in the end is joined.
#include "models/tokenizer/decoder.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "models/tokenizer/utf8.h"

namespace canvaslab {

namespace {

std::optional<int> hexadecimal_digit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return std::nullopt;
}

// The byte that a token of the form <0xNN> stands for. A plus sign may take the first digit's place, as the
// reference's number parser allows one.
std::optional<char> byte_of(const std::string& token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token.back() != '>') return std::nullopt;
  std::optional<int> high = token[3] == '+' ? std::optional(0) : hexadecimal_digit(token[3]);
  std::optional<int> low = hexadecimal_digit(token[4]);
  if (!high || !low) return std::nullopt;
  return static_cast<char>(*high * 16 + *low);
}

std::string joined(const std::vector<std::string>& tokens, std::string_view between) {
  std::string text;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0) text += between;
    text += tokens[i];
  }
  return text;
}

}  // namespace

Decoder::Decoder(const Section& top) : given_(top.has("decoder")) {
  if (given_) add(top.child("decoder"));
}

void Decoder::add(const Section& section) {
  std::string kind = section.kind({"Replace", "ByteFallback", "Fuse", "Strip", "Metaspace", "Sequence"});
  if (kind == "Sequence") {
    section.only({"type", "decoders"});
    for (const Section& element : section.list("decoders")) add(element);
  } else if (kind == "Replace") {
    section.only({"type", "pattern", "content"});
    steps_.emplace_back(Replace{{section.literal_pattern("pattern"), section.text("content")}});
  } else if (kind == "ByteFallback") {
    section.only({"type"});
    steps_.emplace_back(ByteFallback{});
  } else if (kind == "Fuse") {
    section.only({"type"});
    steps_.emplace_back(Fuse{});
  } else if (kind == "Strip") {
    section.only({"type", "content", "start", "stop"});
    section.character("content");
    steps_.emplace_back(Strip{section.text("content"), static_cast<std::size_t>(section.number("start")),
                              static_cast<std::size_t>(section.number("stop"))});
  } else {
    section.only({"type", "replacement", "prepend_scheme", "split", "add_prefix_space", "str_rep"});
    section.character("replacement");
    steps_.emplace_back(
        Metaspace{section.text("replacement"), section.text_or("prepend_scheme", "always") != "never"});
  }
}

Decoder::Tokens Decoder::Replace::apply(Tokens tokens) const {
  for (std::string& token : tokens) {
    if (token.find(text.pattern) != std::string::npos) token = text.apply(token);
  }
  return tokens;
}

Decoder::Tokens Decoder::ByteFallback::apply(Tokens tokens) const {
  Tokens result;
  std::string bytes;
  auto finish_run = [&] {
    if (bytes.empty()) return;
    if (!invalid_utf8(bytes)) {
      result.push_back(bytes);
    } else {
      result.insert(result.end(), bytes.size(), "\xEF\xBF\xBD");
    }
    bytes.clear();
  };
  for (std::string& token : tokens) {
    if (std::optional<char> byte = byte_of(token)) {
      bytes += *byte;
    } else {
      finish_run();
      result.push_back(std::move(token));
    }
  }
  finish_run();
  return result;
}

Decoder::Tokens Decoder::Fuse::apply(const Tokens& tokens) const {
  return {joined(tokens, "")};
}

Decoder::Tokens Decoder::Strip::apply(Tokens tokens) const {
  for (std::string& token : tokens) {
    std::string_view rest = token;
    for (std::size_t i = 0; i < start && rest.starts_with(content); ++i) rest.remove_prefix(content.size());
    for (std::size_t i = 0; i < stop && rest.ends_with(content); ++i) rest.remove_suffix(content.size());
    token = std::string(rest);
  }
  return tokens;
}

Decoder::Tokens Decoder::Metaspace::apply(Tokens tokens) const {
  ReplaceText to_space{mark, " "};
  ReplaceText to_nothing{mark, ""};
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    tokens[i] = (i == 0 && drops_first ? to_nothing : to_space).apply(tokens[i]);
  }
  return tokens;
}

std::string Decoder::decode(std::vector<std::string> tokens) const {
  if (!given_) return joined(tokens, " ");
  for (const auto& step : steps_) {
    tokens = std::visit([&](const auto& decoder) { return decoder.apply(std::move(tokens)); }, step);
  }
  return joined(tokens, "");
}

}  // namespace canvaslab
