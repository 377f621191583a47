// Reading a text (plain, and in the format of the Bible's package) and cutting it into stretches.
#include "experiments/tasks/text_corpus.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/error.h"
#include "experiments/tasks/compressed_text.h"
#include "tests/complaint.h"
#include "tests/temporary_folder.h"
#include "tests/test_data.h"

namespace canvaslab {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string recorded(const std::string& name) {
  std::ifstream in(test_data("tasks/" + name), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string big_endian(size_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFF);
  return bytes;
}

// A file in the package's format.
std::string packed(const std::vector<std::string>& windows) {
  std::string file = "EC02Compressed Data File";
  file.resize(0x54, '\0');
  file += big_endian(65536) + big_endian(windows.size());
  size_t at = file.size() + 4 * (windows.size() + 1) + 3;
  for (const std::string& window : windows) {
    file += big_endian(at);
    at += window.size();
  }
  file += big_endian(at) + "\x1f\x9d\x90";
  for (const std::string& window : windows) file += window;
  return file;
}

TEST(CompressedText, GivesWhatWasCompressed) {
  const std::string text = recorded("squares.txt");
  ASSERT_GT(text.size(), 10000U);
  EXPECT_EQ(decompress_lzw(recorded("squares.lzw")), text);
  EXPECT_EQ(decompress_lzw(""), "");
}

TEST(CompressedText, WindowsFollowEachOther) {
  const std::string window = recorded("squares.lzw"), text = recorded("squares.txt");
  EXPECT_TRUE(is_compressed_text(packed({window})));
  EXPECT_FALSE(is_compressed_text(text));
  EXPECT_EQ(decompress_text(packed({window, window}), "f"), text + text);
  EXPECT_EQ(decompress_text(packed({}), "f"), "");
}

TEST(CompressedText, DamageIsNamed) {
  const std::string file = packed({recorded("squares.lzw")});
  for (const size_t length : {30U, 0x5cU, 0x60U, 1000U}) {
    EXPECT_THAT(complaint([&] { decompress_text(file.substr(0, length), "f.data"); }),
                HasSubstr("f.data: the compressed text is damaged"))
        << length;
  }
  std::string early = recorded("squares.lzw");
  early[1] = '\xff';  // the second code, before there are texts of two characters
  EXPECT_THAT(complaint([&] { decompress_text(packed({early}), "f.data"); }),
              AllOf(HasSubstr("window 1 of 1"), HasSubstr("before its text, expected at most")));
}

class TextFile : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& bytes) {
    std::ofstream(folder_ / "text", std::ios::binary) << bytes;
    return folder_ / "text";
  }
  TemporaryFolder folder_;
};

TEST_F(TextFile, PlainTextIsTakenAsItIs) {
  EXPECT_EQ(read_text(write("Größe: 3:4\nzwei\r\n")), "Größe: 3:4\nzwei\r\n");
}

// The lines "The square of ..." have no verse; what stands before a space is no number of one.
TEST_F(TextFile, VersesLoseTheirNumbers) {
  // Codes of 9 bits below 256 are the characters themselves, packed from the lowest bit up.
  const std::string text = "Title of it.\nGe1:1 In the\n1Jo12:3 Be: so\n";
  std::string window;
  unsigned long buffer = 0;
  int bits = 0;
  for (const char character : text) {
    buffer |= static_cast<unsigned long>(static_cast<unsigned char>(character)) << bits;
    for (bits += 9; bits >= 8; bits -= 8, buffer >>= 8) window += static_cast<char>(buffer & 0xFF);
  }
  window += static_cast<char>(buffer);
  EXPECT_EQ(read_text(write(packed({window}))), "In the\nBe: so\n");
}

TEST_F(TextFile, BadFilesAreNamed) {
  EXPECT_THAT(complaint([&] { read_text(write("")); }), HasSubstr("text: the text is empty"));
  EXPECT_THAT(complaint([&] { read_text(write("ab\ncd\xff\n")); }),
              HasSubstr("text:2: expected UTF-8, found byte 0xff (byte 5 of the file)"));
  EXPECT_THAT(complaint([&] { read_text(folder_ / "absent"); }),
              AllOf(HasSubstr("absent: the text cannot be read"), HasSubstr("UTF-8")));
}

// Only where the package is not there: reading it is then refused by its name.
TEST_F(TextFile, TheMissingBibleNamesItsPackage) {
  if (std::filesystem::exists(kBibleFile)) {
    EXPECT_THAT(read_text(kBibleFile), testing::StartsWith("In the beginning God created the heaven"));
  } else {
    EXPECT_THAT(complaint([] { read_text(kBibleFile); }), HasSubstr("Debian package bible-kjv-text"));
  }
}

// Each character of the text stands for its place.
TEST(TextCorpus, StretchesAreDisjointAndOfEqualLength) {
  for (const auto& [size, window, stretches] :
       {std::tuple{1000, 100, 10}, {1003, 7, 10}, {4000, 2, 100}, {100000, 10, 100}, {5000, 10, 20}}) {
    const TextCorpus corpus(std::string(static_cast<size_t>(size), 'x'), window, "f");
    std::vector<int> uses(static_cast<size_t>(size));
    size_t count = 0;
    for (const Split split : {Split::kTrain, Split::kValidation, Split::kTest}) {
      EXPECT_EQ(corpus.stretches(split).size(),
                static_cast<size_t>(split == Split::kTrain ? stretches / 10 * 8 : stretches / 10));
      for (const TextCorpus::Stretch& stretch : corpus.stretches(split)) {
        ++count;
        EXPECT_EQ(stretch.length, size / stretches);
        EXPECT_GE(stretch.length, window);
        for (std::int64_t i = 0; i < stretch.length; ++i) ++uses[static_cast<size_t>(stretch.first + i)];
      }
    }
    EXPECT_EQ(count, static_cast<size_t>(stretches));
    EXPECT_LE(*std::max_element(uses.begin(), uses.end()), 1);
    EXPECT_LT(std::count(uses.begin(), uses.end(), 0), stretches);
  }
}

TEST(TextCorpus, CountsCharactersNotBytes) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "aé€😀";
  const TextCorpus corpus(text, 1, "f");
  EXPECT_EQ(corpus.size(), 80);
  EXPECT_EQ(corpus.text(1, 3), "é€😀");
  EXPECT_EQ(corpus.text(79, 1), "😀");
  EXPECT_EQ(corpus.text(80, 0), "");
  EXPECT_THAT(corpus.symbols(), ElementsAre("a", "é", "€", "😀"));
}

TEST(TextCorpus, RefusesATextThatIsTooShort) {
  EXPECT_THAT(complaint([] { TextCorpus(std::string(99, 'x'), 10, "f"); }),
              HasSubstr("f: expected at least 100 characters for windows of 10 in every split, found 99"));
  EXPECT_EQ(complaint([] { TextCorpus(std::string(100, 'x'), 10, "f"); }), "accepted");
}

}  // namespace
}  // namespace canvaslab
