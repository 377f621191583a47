// Safetensors files: what the safetensors library wrote is read, and written again byte for byte.
#include "models/checkpoint/safetensors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/models/checkpoint/scratch_folder.h"

namespace canvaslab {
namespace {

std::vector<std::filesystem::path> golden_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(golden(""))) {
    if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
  }
  return files;
}

TEST(Safetensors, RewritesEveryGoldenFileByteForByte) {
  const ScratchFolder scratch;
  const auto files = golden_files();
  ASSERT_GE(files.size(), 10u);
  for (const auto& path : files) {
    const SafetensorsFile file(path);
    write_safetensors(scratch.path() / "copy.safetensors", file.tensors(), file.header().metadata);
    EXPECT_TRUE(read_bytes(path) == read_bytes(scratch.path() / "copy.safetensors")) << path;
  }
}

TEST(Safetensors, TypesAndShapesAreThoseOfTheManifest) {
  const auto manifest = nlohmann::json::parse(read_bytes(golden("manifest.json")));
  int compared = 0;
  for (const auto& entry : manifest["files"]) {
    const auto path = golden(entry["file"].get<std::string>());
    if (!entry.contains("tensors") || !std::filesystem::exists(path)) continue;
    const SafetensorsFile file(path);
    ASSERT_EQ(file.header().tensors.size(), entry["tensors"].size());
    for (const auto& [name, listed] : entry["tensors"].items()) {
      const at::Tensor tensor = file.tensor(name);
      ASSERT_EQ(*safetensors_dtype_name(tensor.scalar_type()), listed[0].get<std::string>()) << name;
      ASSERT_EQ(tensor.dim() + 1, static_cast<std::int64_t>(listed.size())) << name;
      for (std::int64_t i = 0; i < tensor.dim(); ++i)
        ASSERT_EQ(tensor.size(i), listed[i + 1].get<std::int64_t>());
      ++compared;
    }
  }
  EXPECT_GT(compared, 500);
}

TEST(Safetensors, ReadsBytesWrittenByHand) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "hand.safetensors";
  // The header's length is odd on purpose: the float is not aligned and must be copied.
  const std::string json =
      R"({"f":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},"t":{"dtype":"BOOL","shape":[3],"data_offsets":[8,11]}})";
  ASSERT_NE(json.size() % 4, 0u);
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(json.size());
  bytes += json;
  bytes += std::string("\x00\x00\x80\x3f\x00\x00\x20\xc0", 8);  // 1.0, -2.5
  bytes += std::string("\x01\x00\x02", 3);
  write_bytes(path, bytes);
  const TensorMap tensors = read_safetensors(path);
  EXPECT_EQ(tensors.at("f").sizes().vec(), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(tensors.at("f").data_ptr<float>()[0], 1.0f);
  EXPECT_EQ(tensors.at("f").data_ptr<float>()[1], -2.5f);
  EXPECT_TRUE(tensors.at("t").equal(at::tensor({1, 0, 1}).to(at::kBool)));
}

TEST(Safetensors, RoundTripsEveryTypeStridesAndEmptyTensors) {
  const ScratchFolder scratch;
  TensorMap tensors;
  for (const auto dtype : {at::kLong, at::kDouble, at::kFloat, at::kInt, at::kBFloat16, at::kHalf, at::kShort,
                           at::kChar, at::kByte, at::kBool}) {
    tensors[c10::toString(dtype)] = at::arange(7).sub(dtype == at::kByte ? 0 : 3).to(dtype);
  }
  tensors["transposed"] = at::arange(6).reshape({2, 3}).t();
  tensors["scalar"] = at::scalar_tensor(2.5);
  tensors["empty"] = at::empty({0, 4});
  tensors["not finite"] = at::full({2}, std::numeric_limits<float>::quiet_NaN());
  tensors["\"quoted\" \xc3\xa9"] = at::ones({1});
  write_safetensors(scratch.path() / "all.safetensors", tensors, {{"key", "value"}});
  const SafetensorsFile file(scratch.path() / "all.safetensors");
  EXPECT_EQ(file.header().metadata.at("key"), "value");
  EXPECT_EQ(file.header().data_offset % 8, 0u);
  ASSERT_EQ(file.header().tensors.size(), tensors.size());
  for (const auto& [name, tensor] : tensors) {
    const at::Tensor again = file.tensor(name);
    EXPECT_EQ(again.scalar_type(), tensor.scalar_type()) << name;
    EXPECT_TRUE(again.sizes() == tensor.sizes()) << name;
    EXPECT_TRUE(name == "not finite" || again.equal(tensor)) << name;
  }
  EXPECT_TRUE(std::isnan(file.tensor("not finite")[0].item<float>()));
}

TEST(Safetensors, TensorsOutliveTheFileAndNeverWriteIntoIt) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "x.safetensors";
  write_safetensors(path, {{"a", at::arange(5000, at::kFloat)}});
  const std::string before = read_bytes(path);
  at::Tensor tensor = SafetensorsFile(path).tensor("a");
  std::filesystem::remove(path);
  write_bytes(path, before);
  tensor.add_(1);
  EXPECT_EQ(tensor[4999].item<float>(), 5000.0f);
  at::Tensor again = SafetensorsFile(path).tensor("a");
  again.zero_();
  EXPECT_EQ(read_bytes(path), before);
}

TEST(Safetensors, RefusesWhatIsNotThere) {
  const ScratchFolder scratch;
  write_safetensors(scratch.path() / "model.safetensors", {{"weight", at::ones({2})}});
  const SafetensorsFile file(scratch.path() / "model.safetensors");
  expect_error([&] { file.tensor("wieght"); }, {"model.safetensors", "wieght", "did you mean 'weight'"});
  expect_error([&] { SafetensorsFile(scratch.path() / "model.safetensor"); },
               {"did you mean 'model.safetensors'"});
  expect_error([&] { SafetensorsFile{scratch.path()}; }, {"expected a file"});
  write_bytes(scratch.path() / "nothing.safetensors", "");
  expect_error([&] { SafetensorsFile(scratch.path() / "nothing.safetensors"); },
               {"nothing.safetensors", "0 bytes"});
}

TEST(Safetensors, AFailedWriteLeavesTheOldFile) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "x.safetensors";
  write_safetensors(path, {{"a", at::ones({2})}});
  const std::string before = read_bytes(path);
  expect_error(
      [&] {
        write_safetensors(path, {{"a", at::ones({2}, at::kComplexFloat)}});
      },
      {"x.safetensors: a"});
  expect_error([&] { write_safetensors(path, {{"a", at::Tensor()}}); }, {"undefined"});
  EXPECT_EQ(read_bytes(path), before);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path()), {}), 1);
  expect_error([&] { write_safetensors(scratch.path() / "no/x.safetensors", {}); }, {"cannot create"});
}

}  // namespace
}  // namespace canvaslab
