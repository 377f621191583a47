// `model: gemma4`: a Gemma 4 diffusion checkpoint in the Hugging Face layout.
#include <fmt/format.h>

#include "core/error.h"
#include "core/registry.h"
#include "models/checkpoint/shipped.h"
#include "models/checkpoint/special_tokens.h"
#include "models/gemma4/denoiser.h"
#include "models/model_source.h"

namespace canvaslab::gemma4 {
namespace {

enum class Device { kCpu, kCuda };

at::Device chosen_device(Device device) {
  if (device == Device::kCpu) return at::kCPU;
  if (!at::hasCUDA()) {
    throw ConfigurationError(
        "model.device: cuda is not available: build with CANVASLAB_PRESET=cuda on a machine with a GPU");
  }
  return at::kCUDA;
}

class Gemma4Source : public ModelSource {
 public:
  struct Config {
    std::string checkpoint = "sudoku6-uniform";
    Precision precision = Precision::kAuto;
    Device device = Device::kCpu;
    CanvasWindow canvas_window = CanvasWindow::kWhole;
    std::optional<TokenId> mask_token;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("checkpoint", checkpoint,
            {.meaning = "folder in the Hugging Face layout, or the name of a shipped checkpoint"});
      visit.choice(
          "precision", precision,
          {{"auto", Precision::kAuto}, {"float32", Precision::kFloat32}, {"bfloat16", Precision::kBfloat16}},
          {.meaning = "type of weights and activations; auto: float32 on the CPU, as stored elsewhere"});
      visit.choice("device", device, {{"cpu", Device::kCpu}, {"cuda", Device::kCuda}},
                   {.meaning = "where the model runs"});
      visit.choice(
          "canvas_window", canvas_window,
          {{"whole", CanvasWindow::kWhole}, {"per_query", CanvasWindow::kPerQuery}},
          {.meaning =
               "what a canvas position sees in sliding layers: the whole canvas, or a window around itself"});
      visit("mask_token", mask_token,
            {.unit = "token id",
             .meaning = "noise of masked diffusion; null: the tokenizer's <mask>",
             .minimum = 0});
    }
  };

  explicit Gemma4Source(const Config& config) : config_(config) {}

  Model load() const override {
    const at::Device device = chosen_device(config_.device);
    const Checkpoint checkpoint = load_checkpoint(folder());
    Model model = without_denoiser(checkpoint);
    model.denoiser = std::make_unique<Gemma4Denoiser>(
        checkpoint, DenoiserOptions{config_.precision, config_.canvas_window, device});
    return model;
  }

  Model inspect() const override { return without_denoiser(inspect_checkpoint(folder())); }

 private:
  std::filesystem::path folder() const { return checkpoint_folder(config_.checkpoint, "model.checkpoint"); }

  Model without_denoiser(const Checkpoint& checkpoint) const {
    Model model;
    model.generation = checkpoint.generation;
    model.folder = checkpoint.folder;
    if (std::filesystem::exists(model.folder / "tokenizer.json")) {
      model.tokenizer = Tokenizer::load(model.folder / "tokenizer.json");
    }
    model.vocabulary = special_tokens(checkpoint.config, checkpoint.generation, model.tokenizer,
                                      config_.mask_token, (model.folder / "generation_config.json").string());
    return model;
  }

  Config config_;
};

}  // namespace

using canvaslab::ModelSource;
CANVASLAB_REGISTER(ModelSource, Gemma4Source, "gemma4", "a Gemma 4 mixture-of-experts diffusion checkpoint",
                   "arXiv 2608.00146");

}  // namespace canvaslab::gemma4
