// `initial: checkpoint`: fine-tuning.
#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "core/error.h"
#include "core/registry.h"
#include "experiments/training/initial_model.h"
#include "models/checkpoint/huggingface.h"
#include "models/checkpoint/shipped.h"

namespace canvaslab {
namespace {

std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw ConfigurationError(fmt::format("{}: cannot be read; expected a tokenizer", file.string()));
  return text.str();
}

class FromCheckpoint : public InitialModel {
 public:
  struct Config {
    std::string folder = "sudoku6-uniform";

    template <class Visitor>
    void fields(Visitor& visit) {
      visit(
          "folder", folder,
          {.meaning = "checkpoint in the Hugging Face layout: a folder, or a name under models/pretrained"});
    }
  };

  explicit FromCheckpoint(const Config& config) : config_(config) {}

  ModelParts make(const Task& /*task*/, std::uint64_t /*seed*/) const override {
    const Checkpoint checkpoint = load_checkpoint(checkpoint_folder(config_.folder, "initial.folder"));
    ModelParts parts{
        checkpoint.config, checkpoint.generation, {}, read_text(checkpoint.folder / "tokenizer.json"), {}};
    for (const auto& [name, tensor] : checkpoint.tensors)
      parts.weights[name] = tensor.to(at::kFloat, /*non_blocking=*/false, /*copy=*/true).contiguous();
    parts.config.dtype = "float32";
    parts.origin = checkpoint.folder;
    return parts;
  }

 private:
  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(InitialModel, FromCheckpoint, "checkpoint", "goes on from a checkpoint: fine-tuning", "");

}  // namespace canvaslab
