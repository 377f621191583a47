// Builds options as a configuration does, and tells what a configuration is refused for.
#pragma once

#include <memory>
#include <string>

#include "core/config/yaml.h"
#include "core/error.h"
#include "core/registry.h"

namespace canvaslab {

// The option that a YAML map describes: build<SelectionRule>("{name: entropy_bound, bound: 1}").
template <class Interface>
std::unique_ptr<Interface> build(const std::string& yaml) {
  return Registry<Interface>::build(config::parse_yaml(yaml, "test.yaml"));
}

// The message of the ConfigurationError that building it gives, or "accepted".
template <class Interface>
std::string refusal(const std::string& yaml) {
  try {
    build<Interface>(yaml);
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace canvaslab
