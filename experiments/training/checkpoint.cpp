// `initial: checkpoint`: fine-tuning.
#include "core/registry.h"
#include "experiments/training/initial_model.h"
#include "models/checkpoint/huggingface.h"
#include "models/checkpoint/json_file.h"
#include "models/checkpoint/shipped.h"

namespace canvaslab {
namespace {

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
    ModelParts parts{checkpoint.config,
                     checkpoint.generation,
                     {},
                     read_text_file(checkpoint.folder / "tokenizer.json"),
                     {}};
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
