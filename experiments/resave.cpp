#include "experiments/resave.h"

#include "models/checkpoint/huggingface.h"
#include "models/checkpoint/json_file.h"
#include "models/checkpoint/shipped.h"

namespace canvaslab {

int resave(const std::string& name, const std::filesystem::path& to) {
  const std::filesystem::path from = checkpoint_folder(name, "--checkpoint");
  const Checkpoint checkpoint = load_checkpoint(from);
  std::optional<std::string> tokenizer;
  if (std::filesystem::exists(from / "tokenizer.json")) tokenizer = read_text_file(from / "tokenizer.json");
  save_checkpoint(to, checkpoint.config, checkpoint.generation, checkpoint.tensors, tokenizer);
  return 0;
}

}  // namespace canvaslab
