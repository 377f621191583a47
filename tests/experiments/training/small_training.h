// A training small enough for a test: 4x4 grids, two layers of 16 channels.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/config/compose.h"
#include "core/config/interpolate.h"
#include "core/project.h"
#include "experiments/training/training_config.h"

namespace canvaslab {

// Overrides of configs/train.yaml; `more` may choose another task or initial model.
inline std::vector<std::string> small_training(const std::vector<std::string>& more = {}) {
  const auto chooses = [&](const std::string& group) {
    return std::any_of(more.begin(), more.end(),
                       [&](const std::string& word) { return word.starts_with(group); });
  };
  std::vector<std::string> words{"threads=1",
                                 "training.steps=6",
                                 "training.batch=4",
                                 "training.warmup_steps=2",
                                 "training.validate_every=3",
                                 "training.validation_samples=2",
                                 "training.save_every=1",
                                 "sampler.steps=2"};
  if (!chooses("task=")) words.emplace_back("task.side=4");
  if (!chooses("initial=")) {
    for (const char* size :
         {"hidden_size=16", "layers=2", "full_every=2", "heads=2", "head_dim=8", "kv_heads=1",
          "full_head_dim=8", "intermediate_size=16", "experts=4", "expert_size=8"})
      words.push_back(std::string("initial.").append(size));
  }
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

inline TrainConfig train_config(const std::vector<std::string>& overrides) {
  const config::Composition composition =
      config::compose_all({{project_root() / "configs"}, "train", overrides});
  return config::bind<TrainConfig>(config::resolve(composition.config, {.hydra = &composition.hydra}));
}

}  // namespace canvaslab
