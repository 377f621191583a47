// From command-line words to a typed configuration, with every error that composing and binding find in one
// ConfigurationError. What `run` and `train` share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/config/bind.h"
#include "core/config/compose.h"
#include "core/registry.h"
#include "experiments/config_location.h"

namespace canvaslab {

// Composes; with errors noted the result is what could be made, without any there is none.
config::Composition compose_noting(const ConfigLocation& location, const std::vector<std::string>& overrides,
                                   config::Errors& errors);

// The job's node with interpolations replaced. Refuses what Hydra would do and this program does not.
config::Node resolved_job(const config::Composition& composition, config::Errors& errors);

// Notes the parts that no option was chosen for, as after `~temperature` or `selection: null`.
struct MissingParts {
  const config::Node& where;
  config::Errors& errors;

  template <class T>
  void operator()(const char* name, T& value, const config::Field& /*field*/) {
    if constexpr (config::IsPart<T>::value) {
      if (value == nullptr) {
        errors.add(where, name,
                   "is missing; expected one of " + Registry<typename T::element_type>::names_text());
      }
    }
  }
};

// Binds a whole configuration into a fresh one. Throws with this and all earlier errors.
template <class Config>
void bind_whole(const config::Node& resolved, Config& fresh, config::Errors& errors) {
  config::bind(resolved, fresh, errors);
  if (errors.empty()) {
    MissingParts missing{resolved, errors};
    fresh.fields(missing);
  }
  errors.throw_if_any();
}

}  // namespace canvaslab
