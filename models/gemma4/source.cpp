// `model: gemma4`: a Gemma 4 diffusion checkpoint in the Hugging Face layout.
#include <fmt/format.h>

#include "core/error.h"
#include "core/nearest.h"
#include "core/project.h"
#include "core/registry.h"
#include "models/gemma4/denoiser.h"
#include "models/model_source.h"

namespace canvaslab::gemma4 {
namespace {

enum class Device { kCpu, kCuda };

// A folder's path, or the name of a checkpoint that ships with the project.
std::filesystem::path checkpoint_folder(const std::string& name) {
  if (name.find('/') != std::string::npos || std::filesystem::is_directory(name)) return name;
  const std::filesystem::path shipped = project_root() / "models" / "pretrained";
  std::vector<std::string> known;
  for (const auto& entry : std::filesystem::directory_iterator(shipped))
    known.push_back(entry.path().filename().string());
  if (std::find(known.begin(), known.end(), name) != known.end()) return shipped / name;
  throw ConfigurationError(
      fmt::format("model.checkpoint: '{}' is neither a folder nor one of the shipped checkpoints{}", name,
                  did_you_mean(name, known)));
}

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
    const Checkpoint checkpoint = load_checkpoint(checkpoint_folder(config_.checkpoint));
    Model model;
    model.denoiser = std::make_unique<Gemma4Denoiser>(
        checkpoint, DenoiserOptions{config_.precision, config_.canvas_window, device});
    model.generation = checkpoint.generation;
    model.folder = checkpoint.folder;
    if (std::filesystem::exists(model.folder / "tokenizer.json")) {
      model.tokenizer = Tokenizer::load(model.folder / "tokenizer.json");
    }
    model.vocabulary = vocabulary(checkpoint, model.tokenizer);
    return model;
  }

 private:
  Vocabulary vocabulary(const Checkpoint& checkpoint, const std::optional<Tokenizer>& tokenizer) const {
    Vocabulary out;
    out.size = checkpoint.config.vocab_size;
    out.mask = config_.mask_token;
    if (!out.mask && tokenizer) out.mask = tokenizer->id("<mask>");
    if (out.mask && *out.mask >= out.size) {
      throw ConfigurationError(fmt::format("model.mask_token: id {} is outside the vocabulary of {} entries",
                                           *out.mask, out.size));
    }
    if (checkpoint.generation.pad_token_id)
      out.padding = static_cast<TokenId>(*checkpoint.generation.pad_token_id);
    if (out.padding && *out.padding >= out.size) {
      throw ConfigurationError(
          fmt::format("{}: pad_token_id: expected an id below the vocabulary's {} entries, found {}",
                      (checkpoint.folder / "generation_config.json").string(), out.size, *out.padding));
    }
    for (const std::int64_t id : checkpoint.generation.eos_token_ids)
      out.end.push_back(static_cast<TokenId>(id));
    return out;
  }

  Config config_;
};

}  // namespace

using canvaslab::ModelSource;
CANVASLAB_REGISTER(ModelSource, Gemma4Source, "gemma4", "a Gemma 4 mixture-of-experts diffusion checkpoint",
                   "arXiv 2608.00146");

}  // namespace canvaslab::gemma4
