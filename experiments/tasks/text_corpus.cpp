#include "experiments/tasks/text_corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>

#include "core/error.h"
#include "experiments/tasks/compressed_text.h"
#include "experiments/tasks/readable_file.h"
#include "models/tokenizer/utf8.h"

namespace canvaslab {
namespace {

constexpr std::int64_t kWindowsAStretch = 20;  // wanted, where the text is long enough

std::string read_bytes(const std::filesystem::path& file) {
  check_text_file(file);
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Lines are "Ge1:1 In the beginning ...", after one with a title.
std::string without_verse_numbers(const std::string& text) {
  std::string verses;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t space = line.find(' ');
    if (space != std::string::npos && line.substr(0, space).find(':') != std::string::npos)
      verses += line.substr(space + 1) + '\n';
  }
  return verses;
}

}  // namespace

void check_text_file(const std::filesystem::path& file) {
  check_readable(file, "the text",
                 file == kBibleFile
                     ? "install the Debian package bible-kjv-text, or name a UTF-8 file in task.file"
                     : "expected a UTF-8 file");
}

std::string read_text(const std::filesystem::path& file) {
  std::string text = read_bytes(file);
  if (is_compressed_text(text)) text = without_verse_numbers(decompress_text(text, file.string()));
  if (text.empty()) throw ConfigurationError(fmt::format("{}: the text is empty", file.string()));
  if (const auto byte = invalid_utf8(text)) {
    const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(*byte), '\n') + 1;
    throw ConfigurationError(fmt::format("{}:{}: expected UTF-8, found byte {:#04x} (byte {} of the file)",
                                         file.string(), line, static_cast<unsigned char>(text[*byte]),
                                         *byte));
  }
  return text;
}

TextCorpus::TextCorpus(std::string text, std::int64_t window, const std::string& name)
    : text_(std::move(text)) {
  if (text_.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw ConfigurationError(
        fmt::format("{}: expected a text of at most 4 GiB, got {} bytes", name, text_.size()));
  }
  for (size_t byte = 0; byte < text_.size(); byte += utf8_length(text_[byte]))
    starts_.push_back(static_cast<std::uint32_t>(byte));
  starts_.push_back(static_cast<std::uint32_t>(text_.size()));
  const std::int64_t stretches =
      10 * std::clamp<std::int64_t>(size() / (10 * kWindowsAStretch * window), 1, 10);
  const std::int64_t length = size() / stretches;
  if (length < window) {
    throw ConfigurationError(
        fmt::format("{}: expected at least {} characters for windows of {} in every split, "
                    "found {}",
                    name, 10 * window, window, size()));
  }
  for (std::int64_t i = 0; i < stretches; ++i) {
    const Split split = i % 10 < 8 ? Split::kTrain : i % 10 == 8 ? Split::kValidation : Split::kTest;
    stretches_[static_cast<size_t>(split)].push_back({i * length, length});
  }
}

std::string_view TextCorpus::text(std::int64_t first, std::int64_t length) const {
  const std::uint32_t from = starts_[static_cast<size_t>(first)];
  return std::string_view(text_).substr(from, starts_[static_cast<size_t>(first + length)] - from);
}

std::vector<std::string> TextCorpus::symbols() const {
  std::map<char32_t, std::string> all;
  char32_t last = 0;
  for (std::int64_t i = 0; i < size(); ++i) {
    const std::string_view character = text(i, 1);
    const char32_t code = first_character(character);
    if (i == 0 || code != last) all.try_emplace(code, character);
    last = code;
  }
  std::vector<std::string> symbols;
  for (auto& [code, character] : all) symbols.push_back(std::move(character));
  return symbols;
}

}  // namespace canvaslab
