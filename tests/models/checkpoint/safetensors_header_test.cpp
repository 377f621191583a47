// The header of a safetensors file: every lie is refused, and no mutation of it gets further than an Error.
#include "models/checkpoint/safetensors_header.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "tests/models/checkpoint/scratch_folder.h"

namespace canvaslab {
namespace {

std::string with_length(const std::string& json) {
  const std::uint64_t length = json.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + json;
}

SafetensorsHeader parse(const std::string& json, std::uint64_t data_bytes) {
  const std::string bytes = with_length(json);
  return parse_safetensors_header(bytes, bytes.size() + data_bytes, "x.safetensors");
}

void expect_refused(const std::string& json, std::uint64_t data_bytes, std::vector<std::string> parts) {
  parts.push_back("x.safetensors");
  expect_error([&] { parse(json, data_bytes); }, parts);
}

constexpr const char* kTwo =
    R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
    R"("b":{"dtype":"BF16","shape":[4],"data_offsets":[24,32]}})";

TEST(SafetensorsHeader, ReadsPlaces) {
  const SafetensorsHeader header = parse(kTwo, 32);
  EXPECT_EQ(header.metadata.at("format"), "pt");
  EXPECT_EQ(header.tensors.at("a"), (TensorPlace{at::kFloat, {2, 3}, 0, 24}));
  EXPECT_EQ(header.tensors.at("b"), (TensorPlace{at::kBFloat16, {4}, 24, 32}));
  EXPECT_EQ(header.data_offset, 8 + std::string(kTwo).size());
  EXPECT_TRUE(parse("{}   ", 0).tensors.empty());
  const auto scalar = parse(R"({"s":{"dtype":"I64","shape":[],"data_offsets":[0,8]}})", 8);
  EXPECT_TRUE(scalar.tensors.at("s").shape.empty());
  const auto empty = parse(R"({"e":{"dtype":"F32","shape":[0,7],"data_offsets":[0,0]}})", 0);
  EXPECT_EQ(empty.tensors.at("e").end, 0u);
}

TEST(SafetensorsHeader, RefusesTruncationAndWrongLengths) {
  expect_error([] { parse_safetensors_header("", 0, "x.safetensors"); }, {"x.safetensors", "0 bytes"});
  expect_error([] { parse_safetensors_header("1234567", 7, "x.safetensors"); }, {"x.safetensors", "7 bytes"});
  expect_error([] { parse_safetensors_header(std::string(8, '\xff'), 8, "x"); }, {"18446744073709551615"});
  const std::string bytes = with_length(kTwo);
  for (size_t size : {size_t{9}, size_t{50}, bytes.size() - 1}) {
    expect_error([&] { parse_safetensors_header(bytes.substr(0, size), size, "x"); }, {"header of at most"});
  }
  expect_refused(kTwo, 31, {"b", "31 bytes of data", "[24, 32]"});
  expect_refused(kTwo, 33, {"33 bytes", "end at 32"});
  expect_refused(kTwo, 0, {"a", "[0, 24]"});
}

TEST(SafetensorsHeader, RefusesInvalidJson) {
  expect_refused("", 0, {"valid JSON"});
  expect_refused("{\"a\":", 0, {"valid JSON"});
  expect_refused("[1,2]", 0, {"a JSON object", "a list of 2"});
  expect_refused("{\"\xff\":1}", 0, {"valid JSON"});
  expect_refused(R"({"a":3})", 0, {"a", "an object", "3"});
  expect_refused(R"({"__metadata__":{"n":1}})", 0, {"__metadata__"});
  expect_refused(R"({"__metadata__":[]})", 0, {"__metadata__"});
  expect_refused(replaced(kTwo, "\"b\"", "\"a\""), 32, {"'a' twice"});
  expect_refused(replaced(kTwo, "\"shape\":[4]", "\"shape\":[4],\"shape\":[4]"), 32, {"'shape' twice"});
}

TEST(SafetensorsHeader, RefusesWrongEntries) {
  expect_refused(replaced(kTwo, "BF16", "BF17"), 32, {"b", "BF17", "did you mean 'BF16'"});
  expect_refused(replaced(kTwo, "\"F32\"", "32"), 32, {"a", "dtype", "32"});
  expect_refused(replaced(kTwo, "\"dtype\":\"F32\",", ""), 32, {"a", "no dtype"});
  expect_refused(replaced(kTwo, ",\"data_offsets\":[0,24]", ""), 32, {"a", "no data_offsets"});
  expect_refused(replaced(kTwo, "[0,24]", "[0]"), 32, {"a", "[begin, end]"});
  expect_refused(replaced(kTwo, "[0,24]", "[-8,16]"), 32, {"a", "-8"});
  expect_refused(replaced(kTwo, "[0,24]", "[0.0,24]"), 32, {"a", "0.0"});
  expect_refused(replaced(kTwo, "[2,3]", "[-2,-3]"), 32, {"a", "-2"});
  expect_refused(replaced(kTwo, "[2,3]", "6"), 32, {"a", "6"});
  expect_refused(replaced(kTwo, "[2,3]", "[2,4]"), 32, {"a", "32 bytes", "[0, 24]"});
  expect_refused(replaced(kTwo, "[0,24]", "[24,0]"), 32, {"a", "[24, 0]"});
}

TEST(SafetensorsHeader, RefusesOverflowingShapes) {
  for (const char* shape : {"[4294967296,4294967296]", "[9223372036854775807]", "[4611686018427387905]",
                            "[0,9223372036854775807,9223372036854775807]", "[18446744073709551615]"}) {
    expect_refused(replaced(kTwo, "[2,3]", shape), 32, {"a"});
  }
}

TEST(SafetensorsHeader, RefusesOverlapsAndHoles) {
  expect_refused(replaced(kTwo, "[24,32]", "[16,24]"), 24, {"b", "overlap"});
  expect_refused(replaced(kTwo, "[24,32]", "[0,8]"), 24, {"overlap"});
  expect_refused(replaced(kTwo, "[24,32]", "[28,36]"), 36, {"b", "hole"});
  expect_refused(replaced(kTwo, "[24,32]", "[1000,1008]"), 32, {"b", "hole"});
}

TEST(SafetensorsHeader, DeepNestingIsOnlyAnError) {
  expect_refused(std::string(1'000'000, '['), 0, {"valid JSON"});
  std::string nested = "{\"a\":";
  nested.append(200'000, '[').append(200'000, ']').append("}");
  expect_refused(nested, 0, {"a"});
}

// Random edits of real and small headers: parsing ends with a header whose places lie in the file, or with an
// Error.
TEST(SafetensorsHeader, SurvivesRandomMutations) {
  const std::vector<std::string> tokens = {
      "[",     "]",    "{",       "}",      "\"", ",",       ":",    "-1", "18446744073709551615",
      "1e308", "null", "\"F32\"", "\"U8\"", "0",  "\\u0000", "\xff", "24", "\"a\""};
  const std::string real = read_bytes(golden("text_bf16_sharded/model-00003-of-00004.safetensors"));
  const std::vector<std::string> seeds = {with_length(kTwo) + std::string(32, 'x'), real};
  std::mt19937_64 random(20);
  int accepted = 0, refused = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (std::chrono::steady_clock::now() < end) {
    std::string bytes = seeds[random() % seeds.size()];
    const size_t header_end = std::min<size_t>(bytes.size(), 2400);
    for (size_t edits = 1 + random() % 4; edits > 0; --edits) {
      const size_t at = random() % std::min(header_end, bytes.size());
      switch (random() % 4) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes.insert(at, tokens[random() % tokens.size()]);
          break;
        case 2:
          bytes.erase(at, 1 + random() % 8);
          break;
        default:
          bytes[at] = static_cast<char>('0' + random() % 10);
          break;
      }
    }
    try {
      const SafetensorsHeader header = parse_safetensors_header(bytes, bytes.size(), "mutated");
      for (const auto& [name, place] : header.tensors)
        ASSERT_LE(header.data_offset + place.end, bytes.size());
      ++accepted;
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(accepted, 0);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace canvaslab
