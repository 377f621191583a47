// Tokenizers for tests: the real ones, unpacked once a program, and small ones written to a temporary folder.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/tokenizer/tokenizer.h"

namespace canvaslab::testing {

// A folder that lasts as long as the program and is removed with it.
inline const std::filesystem::path& temporary_folder() {
  struct Folder {
    Folder() {
      std::string name = (std::filesystem::temp_directory_path() / "canvaslab-tokenizer-XXXXXX").string();
      if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder: " + name);
      path = name;
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::filesystem::path path;
  };
  static const Folder kFolder;
  return kFolder.path;
}

// The unpacked tokenizer.json of "gemma3" or "gemma4".
inline std::filesystem::path real_tokenizer_file(const std::string& name) {
  std::filesystem::path unpacked = temporary_folder() / (name + ".json");
  if (!std::filesystem::exists(unpacked)) {
    std::string packed = std::string(CANVASLAB_TEST_DATA) + "/tokenizers/" + name + ".json.xz";
    std::string command = "xz -dc '" + packed + "' > '" + unpacked.string() + "'";
    if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
  }
  return unpacked;
}

inline const Tokenizer& gemma3() {
  static const Tokenizer kTokenizer = Tokenizer::load(real_tokenizer_file("gemma3"));
  return kTokenizer;
}

inline const Tokenizer& gemma4() {
  static const Tokenizer kTokenizer = Tokenizer::load(real_tokenizer_file("gemma4"));
  return kTokenizer;
}

inline std::filesystem::path write_text(const std::string& text) {
  std::filesystem::path path = temporary_folder() / "small.json";
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

inline Tokenizer load(const nlohmann::json& document) {
  return Tokenizer::load(write_text(document.dump()));
}

// A complete small tokenizer.json, for tests to change.
inline nlohmann::json small_document() {
  return nlohmann::json::parse(R"({
    "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
    "pre_tokenizer": null, "post_processor": null, "decoder": {"type": "Fuse"},
    "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
              "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "ignore_merges": false,
              "vocab": {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4}, "merges": [["a", "b"], ["ab", "c"]]}})");
}

// One added token with all its flags false.
inline nlohmann::json added_token(const std::string& content, int id) {
  return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", false}};
}

// The lines of a file below the test data, each a JSON value.
inline std::vector<nlohmann::json> json_lines(const std::string& name) {
  std::ifstream stream(std::string(CANVASLAB_TEST_DATA) + "/" + name);
  if (!stream) throw std::runtime_error("cannot read the test data " + name);
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

}  // namespace canvaslab::testing
