#include "experiments/tasks/character_tokenizer.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "models/tokenizer/utf8.h"

namespace canvaslab {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> kSpecial{"<pad>", "<eos>", "<bos>", "<mask>"};

void check(const std::vector<std::string>& symbols) {
  std::set<std::string> seen;
  for (const std::string& symbol : symbols) {
    if (symbol.empty() || invalid_utf8(symbol) || utf8_length(symbol[0]) != symbol.size()) {
      throw ConfigurationError(
          fmt::format("tokenizer: the symbol '{}' is not one character of valid UTF-8", symbol));
    }
    if (!seen.insert(symbol).second) {
      throw ConfigurationError(fmt::format("tokenizer: the symbol '{}' is listed twice", symbol));
    }
  }
}

Json sequence(const char* id, int type) {
  return {{"Sequence", {{"id", id}, {"type_id", type}}}};
}

// Puts <bos> in front of a text.
Json post_processor() {
  Json bos{{"id", "<bos>"}, {"ids", Json::array({2})}, {"tokens", Json::array({"<bos>"})}};
  Json single = Json::array();
  single.push_back({{"SpecialToken", {{"id", "<bos>"}, {"type_id", 0}}}});
  single.push_back(sequence("A", 0));
  Json pair = Json::array();
  pair.push_back(sequence("A", 0));
  pair.push_back(sequence("B", 1));
  return {{"type", "TemplateProcessing"},
          {"single", single},
          {"pair", pair},
          {"special_tokens", {{"<bos>", bos}}}};
}

Json added_tokens() {
  Json tokens = Json::array();
  for (size_t id = 0; id < kSpecial.size(); ++id) {
    tokens.push_back({{"id", id},
                      {"content", kSpecial[id]},
                      {"single_word", false},
                      {"lstrip", false},
                      {"rstrip", false},
                      {"normalized", false},
                      {"special", true}});
  }
  return tokens;
}

Json model(const std::vector<std::string>& symbols) {
  Json vocabulary = Json::object();
  for (const std::string& token : kSpecial) vocabulary[token] = vocabulary.size();
  for (const std::string& symbol : symbols) vocabulary[symbol] = vocabulary.size();
  return {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", nullptr},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", false},
          {"byte_fallback", false},
          {"ignore_merges", false},
          {"vocab", vocabulary},
          {"merges", Json::array()}};
}

}  // namespace

std::string character_tokenizer(const std::vector<std::string>& symbols) {
  check(symbols);
  const Json file{{"version", "1.0"},
                  {"truncation", nullptr},
                  {"padding", nullptr},
                  {"added_tokens", added_tokens()},
                  {"normalizer", nullptr},
                  {"pre_tokenizer", nullptr},
                  {"post_processor", post_processor()},
                  {"decoder", {{"type", "Fuse"}}},
                  {"model", model(symbols)}};
  return file.dump(2);
}

}  // namespace canvaslab
