// Looks at the model and the files that the cells of a sweep name, before any cell runs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiments/session.h"

namespace canvaslab {

class PartsCheck {
 public:
  // Everything that the cell would be refused for when its turn comes, as far as that shows without the
  // weights' values and the contents of the task's files. Each model is looked at once.
  std::vector<std::string> complaints(const Session& cell);

 private:
  struct Seen {
    std::optional<Model> model;  // without a denoiser; none: it was refused
    std::string refusal;
  };
  const Seen& model_of(const Session& cell);

  std::map<std::string, Seen> models_;  // by Session::model_name()
};

}  // namespace canvaslab
