// The models of a process that runs many cells: loaded once for all that name the same one.
#pragma once

#include <memory>
#include <string>

#include "models/model_source.h"

namespace canvaslab {

class ModelLibrary {
 public:
  // `prompt_bytes`: memory for what a model keeps of the prompts that it has read (models/prompt_cache.h).
  explicit ModelLibrary(std::size_t prompt_bytes) : prompt_bytes_(prompt_bytes) {}

  // The model that `source` loads; `name` tells sources apart: the whole configuration of the model. Only the
  // last one is kept, since two may not fit into memory. ConfigurationError as ModelSource::load.
  std::shared_ptr<const Model> load(const std::string& name, const ModelSource& source);

  int loads() const { return loads_; }

 private:
  std::size_t prompt_bytes_;
  std::string name_;
  std::shared_ptr<const Model> model_;
  int loads_ = 0;
};

}  // namespace canvaslab
