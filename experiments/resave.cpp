#include "experiments/resave.h"

#include "models/checkpoint/adapter.h"
#include "models/checkpoint/huggingface.h"
#include "models/checkpoint/json_file.h"
#include "models/checkpoint/shipped.h"

namespace canvaslab {

int resave(const std::string& name, const std::filesystem::path& to, const std::filesystem::path& adapter) {
  const std::filesystem::path from = checkpoint_folder(name, "--checkpoint");
  const Checkpoint checkpoint = load_checkpoint(from);
  std::optional<std::string> tokenizer;
  if (std::filesystem::exists(from / "tokenizer.json")) tokenizer = read_text_file(from / "tokenizer.json");
  const TensorMap tensors =
      adapter.empty() ? checkpoint.tensors : merged(checkpoint.tensors, load_adapter(adapter));
  save_checkpoint(to, checkpoint.config, checkpoint.generation, tensors, tokenizer);
  return 0;
}

}  // namespace canvaslab
