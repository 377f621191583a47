#include "experiments/tasks/compressed_text.h"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "core/error.h"

namespace canvaslab {
namespace {

constexpr std::string_view kMagic = "EC02Compressed Data File";
constexpr size_t kCount = 0x58, kTable = 0x5c;  // where the number of windows and their table stand
constexpr std::uint32_t kClear = 256, kFirstFree = 257;
constexpr unsigned kMaximumBits = 16;

std::uint32_t big_endian(std::string_view bytes, size_t at) {
  std::uint32_t value = 0;
  for (size_t i = at; i < at + 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// Codes are packed from the lowest bit up. When their width grows, the rest of a group of 8 codes is skipped.
class CodeReader {
 public:
  explicit CodeReader(std::string_view bytes) : bytes_(bytes) {}

  // False at the end.
  bool next(std::uint32_t& code) {
    if (position_ + bits_ > bytes_.size() * 8) return false;
    code = 0;
    for (unsigned bit = 0; bit < bits_; ++bit, ++position_) {
      const auto byte = static_cast<unsigned char>(bytes_[position_ / 8]);
      code |= static_cast<std::uint32_t>(byte >> position_ % 8 & 1U) << bit;
    }
    return true;
  }

  // Called with the number of codes that have a meaning so far.
  void grow(size_t codes) {
    if (bits_ == kMaximumBits || codes < size_t{1} << bits_) return;
    const size_t group = size_t{8} * bits_;
    position_ = start_ + (position_ - start_ + group - 1) / group * group;
    start_ = position_;
    ++bits_;
  }

 private:
  std::string_view bytes_;
  size_t position_ = 0, start_ = 0;  // in bits; start of the codes of this width
  unsigned bits_ = 9;
};

}  // namespace

bool is_compressed_text(std::string_view bytes) {
  return bytes.starts_with(kMagic);
}

std::string decompress_lzw(std::string_view codes) {
  // A code's text is where it was first written: text[start, start + length).
  struct Entry {
    size_t start, length;
  };
  std::vector<Entry> table;  // of the codes from kFirstFree
  std::string text;
  Entry last{0, 0};
  CodeReader reader(codes);
  for (std::uint32_t code = 0; reader.next(code) && code != kClear;) {
    const size_t start = text.size();
    // Every code but the first also names a new text: the last one and the character that follows it.
    if (start > 0 && table.size() < (size_t{1} << kMaximumBits) - kFirstFree)
      table.push_back({last.start, last.length + 1});
    if (code < kClear) {
      text += static_cast<char>(code);
    } else {
      if (code - kFirstFree >= table.size())
        throw Error(fmt::format("code {} stands before its text, expected at most {}", code,
                                kFirstFree + table.size()));
      const Entry entry = table[code - kFirstFree];
      for (size_t i = 0; i < entry.length; ++i) text += text[entry.start + i];
    }
    last = {start, text.size() - start};
    reader.grow(kFirstFree + table.size());
  }
  return text;
}

std::string decompress_text(std::string_view bytes, const std::string& file) {
  const auto damaged = [&](const std::string& what) {
    return ConfigurationError(fmt::format("{}: the compressed text is damaged: {}", file, what));
  };
  if (bytes.size() < kTable) throw damaged("it ends within its header");
  const size_t windows = big_endian(bytes, kCount);
  if (kTable + (windows + 1) * 4 > bytes.size()) throw damaged("it ends within its table of windows");
  std::string text;
  for (size_t window = 0; window < windows; ++window) {
    const size_t first = big_endian(bytes, kTable + window * 4);
    const size_t end = big_endian(bytes, kTable + window * 4 + 4);
    if (first > end || end > bytes.size())
      throw damaged(fmt::format("window {} of {} ends at byte {}, the file at {}", window + 1, windows, end,
                                bytes.size()));
    try {
      text += decompress_lzw(bytes.substr(first, end - first));
    } catch (const Error& error) {
      throw damaged(fmt::format("window {} of {}: {}", window + 1, windows, error.what()));
    }
  }
  return text;
}

}  // namespace canvaslab
