#include "experiments/resave.h"

#include "models/checkpoint/huggingface.h"
#include "models/checkpoint/json_file.h"

namespace canvaslab {

int resave(const std::filesystem::path& from, const std::filesystem::path& to) {
  const Checkpoint checkpoint = load_checkpoint(from);
  std::optional<std::string> tokenizer;
  if (std::filesystem::exists(from / "tokenizer.json")) tokenizer = read_text_file(from / "tokenizer.json");
  save_checkpoint(to, checkpoint.config, checkpoint.generation, checkpoint.tensors, tokenizer);
  return 0;
}

}  // namespace canvaslab
