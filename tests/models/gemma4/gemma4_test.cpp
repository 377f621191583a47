// The option `model: gemma4`: what it loads, and the effect of each of its settings.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "models/model_source.h"
#include "tests/options.h"
#include "tests/temporary_folder.h"
#include "tests/test_data.h"

namespace canvaslab {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::filesystem::path kModel = test_data("golden/generation");

Model load(const std::string& settings) {
  return build<ModelSource>("{name: gemma4, " + settings + "}")->load();
}

std::string checkpoint(const std::filesystem::path& folder) {
  return fmt::format("checkpoint: '{}/'", folder.string());
}

// One pass over a fixed prompt and canvas.
Prediction predict(const Model& model) {
  const std::vector<TokenId> prompt{2, 9, 10, 11};
  std::vector<TokenId> canvas;
  for (std::int64_t i = 0; i < model.denoiser->canvas_length(); ++i)
    canvas.push_back(static_cast<TokenId>(8 + 3 * i % 40));
  const std::vector<double> uniforms(canvas.size(), 0.5);
  const Prompt prompts[]{{prompt, 0}};
  const auto contexts = model.denoiser->prefill(prompts);
  const RowQuery queries[]{
      {.context = contexts[0].get(), .canvas = canvas, .temperature = 1, .uniforms = uniforms, .given = {}}};
  return model.denoiser->predict(queries, {}).at(0);
}

std::string refusal_of_load(const std::string& settings) {
  try {
    load(settings);
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Gemma4Source, LoadsWhatBelongsToACheckpoint) {
  const Model model = load(checkpoint(kModel));
  EXPECT_EQ(model.denoiser->vocabulary(), 56);
  EXPECT_EQ(model.denoiser->canvas_length(), 16);
  EXPECT_EQ(model.vocabulary.size, 56);
  EXPECT_EQ(model.vocabulary.padding, 0);
  EXPECT_THAT(model.vocabulary.end, ElementsAre(1, 3));
  EXPECT_EQ(model.generation.max_new_tokens, 48);
  EXPECT_FALSE(model.tokenizer.has_value());
  EXPECT_EQ(model.vocabulary.mask, std::nullopt);  // no tokenizer, no '<mask>'
}

TEST(Gemma4Source, CheckpointIsAFolderOrAShippedName) {
  const Model shipped = load("checkpoint: sudoku4-masked");
  ASSERT_TRUE(shipped.tokenizer.has_value());
  EXPECT_EQ(shipped.vocabulary.mask, shipped.tokenizer->id("<mask>"));
  EXPECT_EQ(shipped.folder.filename(), "sudoku4-masked");
  EXPECT_THAT(refusal_of_load("checkpoint: sudoku4-maksed"), HasSubstr("did you mean 'sudoku4-masked'"));
  EXPECT_THROW(load("checkpoint: /absent/folder"), Error);
}

TEST(Gemma4Source, PrecisionChangesTheArithmetic) {
  const Prediction by_default = predict(load(checkpoint(kModel)));
  const Prediction full = predict(load(checkpoint(kModel) + ", precision: float32"));
  const Prediction half = predict(load(checkpoint(kModel) + ", precision: bfloat16"));
  EXPECT_EQ(by_default.entropy, full.entropy);  // auto on the CPU
  EXPECT_NE(half.entropy, full.entropy);
  double mean = 0;
  for (size_t i = 0; i < full.entropy.size(); ++i)
    mean += std::abs(half.entropy[i] - full.entropy[i]) / static_cast<double>(full.entropy.size());
  EXPECT_LT(mean, 0.2);
}

TEST(Gemma4Source, CanvasWindowLimitsWhatAPositionSees) {
  const TemporaryFolder folder;
  nlohmann::json config = read_json(kModel / "config.json");
  config["text_config"]["sliding_window"] = 4;  // shorter than the canvas
  std::ofstream(folder / "config.json") << config;
  for (const char* file : {"generation_config.json", "model.safetensors"})
    std::filesystem::copy(kModel / file, folder / file);
  const Prediction by_default = predict(load(checkpoint(folder.path())));
  EXPECT_EQ(predict(load(checkpoint(folder.path()) + ", canvas_window: whole")).entropy, by_default.entropy);
  EXPECT_NE(predict(load(checkpoint(folder.path()) + ", canvas_window: per_query")).entropy,
            by_default.entropy);
}

TEST(Gemma4Source, MaskTokenNamesTheNoise) {
  EXPECT_EQ(load(checkpoint(kModel) + ", mask_token: 55").vocabulary.mask, 55);
  EXPECT_EQ(load("checkpoint: sudoku4-masked, mask_token: 5").vocabulary.mask, 5);  // before the tokenizer's
  EXPECT_THAT(refusal_of_load(checkpoint(kModel) + ", mask_token: 56"),
              HasSubstr("model.mask_token: id 56 is outside the vocabulary of 56"));
}

TEST(Gemma4Source, DeviceIsRefusedWhereThereIsNone) {
  EXPECT_EQ(predict(load(checkpoint(kModel) + ", device: cpu")).argmax,
            predict(load(checkpoint(kModel))).argmax);
  if (!at::hasCUDA()) {
    EXPECT_THAT(refusal_of_load(checkpoint(kModel) + ", device: cuda"), HasSubstr("cuda is not available"));
  }
}

TEST(Gemma4Source, RefusesBadSettings) {
  for (const char* bad : {"precision: float16", "device: tpu", "canvas_window: half", "mask_token: -1",
                          "checkpoint: null", "chekpoint: x"}) {
    EXPECT_NE(refusal<ModelSource>(fmt::format("{{name: gemma4, {}}}", bad)), "accepted") << bad;
  }
}

}  // namespace
}  // namespace canvaslab
