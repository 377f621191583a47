// From command-line words to loaded parts: compose, bind, load. Everything that can be refused is refused
// here, before anything runs or an output folder exists.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/config/compose.h"
#include "experiments/config_location.h"
#include "experiments/model_library.h"
#include "experiments/run_config.h"
#include "samplers/rules.h"

namespace canvaslab {

class Session {
 public:
  // ConfigurationError with every error that composing and binding find.
  Session(const ConfigLocation& location, const std::vector<std::string>& overrides);

  // From a configuration that was composed before. Errors as above.
  explicit Session(config::Composition composition);

  // Sets threads (`threads` where the configuration leaves it open; null: one per core) and loads the model,
  // from the library when one is given. Apart, because it takes time.
  void load(ModelLibrary* library = nullptr, std::optional<int> threads = std::nullopt);

  const RunConfig& config() const { return config_; }
  const Model& model() const { return *model_; }

  // The configuration of the model, as text: equal texts load equal models.
  std::string model_name() const;
  Rules rules() const;

  // Tokens to generate per sample: the configuration's, else the checkpoint's.
  std::int64_t max_new_tokens() const;

  // The configuration as it takes effect: interpolations resolved, defaults and the checkpoint's values
  // filled in.
  config::Node effective() const;

  // The configuration as composed, interpolations kept, and Hydra's own node.
  const config::Composition& composition() const { return composition_; }

  // Replaces a value after composing; for commands whose flags stand for configuration. Call before load().
  void set(const std::string& group, const std::string& key, config::Node value);

 private:
  // Throws what `errors` held before along with what is found.
  void bind(config::Errors& errors);

  config::Composition composition_;
  config::Node resolved_;
  RunConfig config_;
  std::shared_ptr<const Model> model_;
};

}  // namespace canvaslab
