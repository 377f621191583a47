// A text to train on, cut into stretches that the splits share out: no window crosses a stretch, so no two
// splits share a place of the text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/tasks/split.h"

namespace canvaslab {

// Where Debian's package bible-kjv-text puts the King James Bible.
inline constexpr const char* kBibleFile = "/usr/lib/bible.data";

// The text of a UTF-8 file, or of the compressed Bible (its title and the verses' numbers left out: one verse
// a line). ConfigurationError when it is missing (naming the package, if that brings it), empty, or not UTF-8
// (with line and byte).
std::string read_text(const std::filesystem::path& file);

// Before that: ConfigurationError when the file cannot be read.
void check_text_file(const std::filesystem::path& file);

class TextCorpus {
 public:
  // `text` is valid UTF-8; `window` the characters of an example. ConfigurationError when the text is too
  // short for windows in every split.
  TextCorpus(std::string text, std::int64_t window, const std::string& name);

  struct Stretch {
    std::int64_t first, length;  // characters
  };
  // In order. The text is cut into 10 to 100 stretches of equal length; of every ten the ninth is for
  // validation, the tenth for tests.
  const std::vector<Stretch>& stretches(Split split) const { return stretches_[static_cast<size_t>(split)]; }

  std::int64_t size() const { return static_cast<std::int64_t>(starts_.size()) - 1; }  // characters
  std::string_view text(std::int64_t first, std::int64_t length) const;

  // The distinct characters of the whole text, by code point.
  std::vector<std::string> symbols() const;

 private:
  std::string text_;
  std::vector<std::uint32_t> starts_;  // of each character, and the end
  std::vector<Stretch> stretches_[3];
};

}  // namespace canvaslab
