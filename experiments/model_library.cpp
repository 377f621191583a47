#include "experiments/model_library.h"

#include "models/prompt_cache.h"

namespace canvaslab {

std::shared_ptr<const Model> ModelLibrary::load(const std::string& name, const ModelSource& source) {
  if (model_ != nullptr && name == name_) return model_;
  model_.reset();  // before the next one takes its memory
  Model model = source.load();
  model.denoiser = std::make_unique<PromptCache>(std::move(model.denoiser), prompt_bytes_);
  model_ = std::make_shared<const Model>(std::move(model));
  name_ = name;
  ++loads_;
  return model_;
}

}  // namespace canvaslab
