// Looks at the model and the files that the cells of a sweep name, before any cell runs.
#pragma once

#include <filesystem>
#include <map>
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
    std::string refusal;  // "": the model can be loaded, as far as one sees
    Vocabulary vocabulary;
    std::filesystem::path folder;  // empty when it was refused
  };
  const Seen& model_of(const Session& cell);

  std::map<std::string, Seen> models_;  // by Session::model_name()
};

}  // namespace canvaslab
