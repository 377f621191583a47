// An event parser that keeps track of where in the document it is: in the vocabulary, in the merges, or
// elsewhere.
#include "models/tokenizer/tokenizer_file.h"

#include <fmt/format.h>

#include <fstream>
#include <utility>

#include "core/error.h"

namespace canvaslab {

namespace {

using nlohmann::json;

// Takes the parser's events; its interface is nlohmann's json_sax.
class EventReader {
 public:
  explicit EventReader(TokenizerFile& file) : file_(file) {}

  bool null() { return scalar(nullptr, "null"); }
  bool boolean(bool value) { return scalar(value, "a boolean"); }
  bool number_integer(std::int64_t value) { return number(value); }
  bool number_unsigned(std::uint64_t value) {
    return number(value >> 63 == 0 ? static_cast<std::int64_t>(value) : std::int64_t{-1});
  }
  bool number_float(double value, const std::string&) { return scalar(value, "a fraction"); }
  bool binary(json::binary_t&) { return false; }

  bool string(std::string& value) {
    switch (place_) {
      case Place::kDocument:
        store(std::move(value));
        break;
      case Place::kVocabulary:
        refuse_vocabulary("a string");
        break;
      case Place::kMerges:
        add_merge_line(value);
        break;
      case Place::kMergePair:
        add_to_pair(std::move(value));
        break;
    }
    return true;
  }

  bool key(std::string& value) {
    key_ = std::move(value);
    return true;
  }

  bool start_object(std::size_t) {
    if (place_ == Place::kVocabulary) refuse_vocabulary("an object");
    if (place_ != Place::kDocument) refuse_merge("an object");
    json& stored = store(json::object());
    if (in_model_part("vocab")) {
      place_ = Place::kVocabulary;
    } else {
      open_.push_back(&stored);
    }
    return true;
  }

  bool end_object() {
    if (place_ == Place::kVocabulary) {
      place_ = Place::kDocument;
    } else {
      close();
    }
    return true;
  }

  bool start_array(std::size_t) {
    if (place_ == Place::kVocabulary) refuse_vocabulary("a list");
    if (place_ == Place::kMergePair) refuse_merge("a list inside the pair");
    if (place_ == Place::kMerges) {
      place_ = Place::kMergePair;
      pair_.clear();
      return true;
    }
    json& stored = store(json::array());
    if (in_model_part("merges")) {
      place_ = Place::kMerges;
    } else {
      open_.push_back(&stored);
    }
    return true;
  }

  bool end_array() {
    if (place_ == Place::kMergePair) {
      if (pair_.size() != 2) refuse_merge(fmt::format("a list of {}", pair_.size()));
      file_.merges.add(pair_[0], pair_[1]);
      place_ = Place::kMerges;
    } else if (place_ == Place::kMerges) {
      place_ = Place::kDocument;
    } else {
      close();
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) {
    throw ConfigurationError(
        fmt::format("{}: not valid JSON at byte {}: {}", file_.name, position, error.what()));
  }

 private:
  enum class Place { kDocument, kVocabulary, kMerges, kMergePair };

  // Whether the value just stored is the model's `name`: it stays empty, as its contents go elsewhere.
  bool in_model_part(std::string_view name) const {
    return open_.size() == 2 && model_ == open_.back() && model_->is_object() && key_ == name;
  }

  // Puts a value where the document continues; its address stays valid while its container is not the open
  // one.
  json& store(json value) {
    if (open_.empty()) return file_.document = std::move(value);
    json& container = *open_.back();
    if (container.is_array()) {
      container.push_back(std::move(value));
      return container.back();
    }
    json& stored = container[key_] = std::move(value);
    if (open_.size() == 1 && key_ == "model") model_ = &stored;
    return stored;
  }

  void close() { open_.pop_back(); }

  bool scalar(json value, std::string_view found) {
    if (place_ == Place::kVocabulary) refuse_vocabulary(found);
    if (place_ != Place::kDocument) refuse_merge(found);
    store(std::move(value));
    return true;
  }

  bool number(std::int64_t value) {
    if (place_ != Place::kVocabulary) return scalar(value, "a number");
    switch (file_.vocabulary.add(key_, value)) {
      case TokenStrings::Added::kYes:
        return true;
      case TokenStrings::Added::kTextTaken:
        throw problem("model.vocab", fmt::format("token '{}' stands there twice", key_));
      case TokenStrings::Added::kIdTaken:
        throw problem("model.vocab",
                      fmt::format("tokens '{}' and '{}' both have id {}; expected each id once",
                                  *file_.vocabulary.token(static_cast<TokenId>(value)), key_, value));
      case TokenStrings::Added::kIdOutOfRange:
        break;
    }
    throw problem("model.vocab", fmt::format("token '{}' has id {}; expected 0 to {}", key_, value,
                                             TokenStrings::kIdLimit - 1));
  }

  // The older notation: "left right". A first line "#version ..." comes from the text files of the format's
  // beginnings.
  void add_merge_line(const std::string& line) {
    if (line.starts_with("#version")) return;
    std::size_t space = line.find(' ');
    if (space == std::string::npos || line.find(' ', space + 1) != std::string::npos) {
      refuse_merge(fmt::format("'{}'", line));
    }
    file_.merges.add(std::string_view(line).substr(0, space), std::string_view(line).substr(space + 1));
  }

  void add_to_pair(std::string value) { pair_.push_back(std::move(value)); }

  [[noreturn]] void refuse_vocabulary(std::string_view found) const {
    throw problem("model.vocab", fmt::format("token '{}': expected its id, found {}", key_, found));
  }

  [[noreturn]] void refuse_merge(std::string_view found) const {
    throw problem(fmt::format("model.merges[{}]", file_.merges.size()),
                  fmt::format("expected \"left right\" or [\"left\", \"right\"], found {}", found));
  }

  ConfigurationError problem(std::string_view section, std::string_view what) const {
    return ConfigurationError(fmt::format("{}: {}: {}", file_.name, section, what));
  }

  TokenizerFile& file_;
  Place place_ = Place::kDocument;
  std::vector<json*> open_;  // the containers around the current position, outermost first
  const json* model_ = nullptr;
  std::string key_;
  std::vector<std::string> pair_;
};

std::string read_whole(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::error_code no_size;
  std::uintmax_t size = std::filesystem::file_size(path, no_size);
  if (!stream || no_size)
    throw ConfigurationError(fmt::format("{}: cannot be read; expected a tokenizer.json", path.string()));
  std::string text(size, '\0');
  if (!stream.read(text.data(), static_cast<std::streamsize>(size))) {
    throw ConfigurationError(fmt::format("{}: reading stopped before its {} bytes", path.string(), size));
  }
  return text;
}

}  // namespace

void MergeList::add(std::string_view left, std::string_view right) {
  spans_.push_back(
      {text_.size(), static_cast<std::uint32_t>(left.size()), static_cast<std::uint32_t>(right.size())});
  text_ += left;
  text_ += right;
}

std::string_view MergeList::left(std::size_t rank) const {
  return whole(rank).substr(0, spans_[rank].left);
}

std::string_view MergeList::right(std::size_t rank) const {
  return whole(rank).substr(spans_[rank].left);
}

std::string_view MergeList::whole(std::size_t rank) const {
  const Span& span = spans_[rank];
  return std::string_view(text_).substr(span.offset, std::size_t{span.left} + span.right);
}

TokenizerFile parse_tokenizer_file(std::string_view text, const std::string& name) {
  TokenizerFile file;
  file.name = name;
  EventReader reader(file);
  json::sax_parse(text.data(), text.data() + text.size(), &reader);
  return file;
}

TokenizerFile read_tokenizer_file(const std::filesystem::path& path) {
  return parse_tokenizer_file(read_whole(path), path.string());
}

}  // namespace canvaslab
