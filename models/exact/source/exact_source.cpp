#include "models/exact/source/exact_source.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/error.h"

namespace canvaslab {
namespace {

constexpr int kMostSymbols = 52;

// A tokenizer.json of one token a symbol; under masked corruption with the mask after them.
std::string tokenizer_text(int symbols, bool mask) {
  using Json = nlohmann::ordered_json;
  Json vocabulary = Json::object();
  for (int id = 0; id < symbols; ++id)
    vocabulary[std::string(1, static_cast<char>(id < 26 ? 'a' + id : 'A' + id - 26))] = id;
  Json added = Json::array();
  if (mask) {
    vocabulary["<mask>"] = symbols;
    added.push_back({{"id", symbols},
                     {"content", "<mask>"},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", true}});
  }
  return Json{{"version", "1.0"},
              {"truncation", nullptr},
              {"padding", nullptr},
              {"added_tokens", added},
              {"normalizer", nullptr},
              {"pre_tokenizer", nullptr},
              {"post_processor", nullptr},
              {"decoder", {{"type", "Fuse"}}},
              {"model",
               {{"type", "BPE"},
                {"dropout", nullptr},
                {"unk_token", nullptr},
                {"continuing_subword_prefix", nullptr},
                {"end_of_word_suffix", nullptr},
                {"fuse_unk", false},
                {"byte_fallback", false},
                {"ignore_merges", false},
                {"vocab", vocabulary},
                {"merges", Json::array()}}}}
      .dump();
}

}  // namespace

Model exact_model(std::shared_ptr<const JointModel> joint, const ExactOptions& options) {
  const int symbols = joint->symbols();
  if (symbols > kMostSymbols) {
    throw ConfigurationError(
        fmt::format("model: {} symbols; a run can write at most {} as letters", symbols, kMostSymbols));
  }
  const bool masked = options.corruption == Corruption::kMasked;
  Model model;
  model.generation.max_new_tokens = joint->length();
  model.tokenizer = Tokenizer::parse(tokenizer_text(symbols, masked), "the tokenizer of an exact model");
  auto denoiser = std::make_unique<ExactDenoiser>(
      std::move(joint),
      ExactSettings{options.corruption, options.noise_level, options.leave_one_out, options.epsilon});
  model.vocabulary.size = denoiser->vocabulary();
  if (masked) model.vocabulary.mask = static_cast<TokenId>(symbols);
  model.exact = denoiser.get();
  model.denoiser = std::move(denoiser);
  return model;
}

}  // namespace canvaslab
