// What `forward` refuses: inputs that do not fit together or the model, outputs that cannot be written or are
// no numbers. Values are compared with the reference in tests/models/gemma4/golden_test.cpp.
#include "experiments/forward.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "models/checkpoint/safetensors.h"
#include "tests/models/checkpoint/scratch_folder.h"

namespace canvaslab {
namespace {

at::Tensor ids(std::int64_t rows, std::int64_t length) {
  return at::arange(5, 5 + rows * length, at::kLong).view({rows, length});
}

class Forward : public testing::Test {
 protected:
  // Changes one input of a good pass and expects `parts`, the file's name and no output.
  void expect_refused(const std::string& name, const at::Tensor& tensor, std::vector<std::string> parts) {
    TensorMap inputs = good();
    inputs[name] = tensor;
    write_safetensors(scratch_.path() / "inputs.safetensors", inputs);
    SCOPED_TRACE(name + ", " + parts[0]);
    parts.push_back("inputs.safetensors: ");
    expect_error<ConfigurationError>([&] { run("output.safetensors"); }, parts);
    EXPECT_FALSE(std::filesystem::exists(scratch_.path() / "output.safetensors"));
  }

  static TensorMap good() { return {{"input_ids", ids(2, 5)}, {"canvas", ids(2, 16)}}; }

  void run(const std::string& output) {
    forward({checkpoint_, scratch_.path() / "inputs.safetensors", scratch_.path() / output,
             gemma4::Precision::kAuto, false});
  }

  ScratchFolder scratch_;
  std::filesystem::path checkpoint_ = golden("text_fp32");
};

TEST_F(Forward, RefusesTensorsThatDoNotFit) {
  expect_refused("input_ids", ids(2, 5) + 505, {"input_ids: row 0, position 2: token id 512 is outside"});
  expect_refused("input_ids", -ids(2, 5), {"token id -5 is outside"});
  expect_refused("input_ids", ids(0, 5), {"'input_ids' has shape [0, 5]"});
  expect_refused("input_ids", ids(2, 5).to(at::kFloat), {"'input_ids' holds Float, expected integers"});
  expect_refused("canvas", ids(2, 16) + 500, {"canvas: row 0, position 7: token id 512 is outside"});
  expect_refused("canvas", ids(2, 0), {"canvas has shape [2, 0], expected 2 rows"});
  expect_refused("canvas", ids(1, 16), {"canvas has shape [1, 16], expected 2 rows"});
  expect_refused("attention_mask", at::ones({2, 4}, at::kLong), {"expected shape [2, 5]", "found [2, 4]"});
  expect_refused("attention_mask", at::tensor({1, 1, 1, 1, 1, 0, 1, 0, 1, 1}).view({2, 5}),
                 {"row 1 has padding at 2 after a real token"});
  expect_refused("self_conditioning_logits", at::zeros({2, 16, 511}),
                 {"expected shape [2, 16, 512], found [2, 16, 511]"});
}

TEST_F(Forward, RefusesAPlaceThatCannotBeWritten) {
  write_safetensors(scratch_.path() / "inputs.safetensors", good());
  expect_error<ConfigurationError>([&] { run("nowhere/output.safetensors"); },
                                   {"nowhere", "found no folder"});
  expect_error<ConfigurationError>([&] { run(""); }, {"expected the name of a file to write"});
}

TEST_F(Forward, PaddingAloneAndEmptyPromptsAreFine) {
  TensorMap inputs = good();
  inputs["attention_mask"] = at::tensor({0, 0, 0, 0, 0, 0, 0, 0, 0, 1}).view({2, 5});
  write_safetensors(scratch_.path() / "inputs.safetensors", inputs);
  run("padded.safetensors");
  inputs.erase("attention_mask");
  inputs["input_ids"] = ids(2, 0);
  write_safetensors(scratch_.path() / "inputs.safetensors", inputs);
  run("empty.safetensors");
  const at::Tensor padded = read_safetensors(scratch_.path() / "padded.safetensors").at("decoder.logits");
  const at::Tensor empty = read_safetensors(scratch_.path() / "empty.safetensors").at("decoder.logits");
  EXPECT_LT((padded[0] - empty[0]).abs().max().item<double>(), 2e-3) << "rotary positions are relative";
}

TEST_F(Forward, LogitsThatAreNoNumbersAreWrittenAndAFailure) {
  checkpoint_ = copy_checkpoint("text_fp32", scratch_);
  TensorMap weights = read_safetensors(checkpoint_ / "model.safetensors");
  weights["model.decoder.norm.weight"] = weights.at("model.decoder.norm.weight").clone();
  weights["model.decoder.norm.weight"][3] = NAN;
  std::filesystem::remove(checkpoint_ / "model.safetensors");
  write_safetensors(checkpoint_ / "model.safetensors", weights);
  write_safetensors(scratch_.path() / "inputs.safetensors", good());
  try {
    run("output.safetensors");
    FAIL() << "not noticed";
  } catch (const ConfigurationError&) {
    FAIL() << "nothing is wrong with the configuration";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("not finite, the first in row 0 at position 0"),
              std::string::npos)
        << error.what();
  }
  EXPECT_TRUE(std::filesystem::exists(scratch_.path() / "output.safetensors"));
}

}  // namespace
}  // namespace canvaslab
