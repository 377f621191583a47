#include "experiments/run_mode.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "core/config/scalar.h"
#include "core/error.h"
#include "core/nearest.h"
#include "core/standard_streams.h"

namespace canvaslab {
namespace {

const std::vector<std::string> kModes{"RUN", "MULTIRUN"};

std::optional<config::Node> mode_node(config::ComposeRequest request) {
  request.multirun = true;  // swept words must not end the look
  try {
    const config::Composition composition = config::compose_all(request);
    const config::Node* mode = config::select(composition.hydra, "mode");
    return mode == nullptr || mode->is_null() ? std::nullopt : std::optional(*mode);
  } catch (const ConfigurationError&) {
    return std::nullopt;
  }
}

}  // namespace

std::string configured_mode(const ConfigurationFlags& flags) {
  const std::optional<config::Node> mode = mode_node(flags.request());
  if (!mode) return "";
  const std::string text = config::bare_text(*mode);
  for (const std::string& known : kModes)
    if (text == known) return text;
  throw ConfigurationError(
      fmt::format("hydra.mode: expected RUN or MULTIRUN, found '{}'{}", text, did_you_mean(text, kModes)));
}

bool asks_for_sweep(const ConfigurationFlags& flags, const std::string& configured_mode) {
  if (flags.multirun && configured_mode == "RUN")
    tell("warning: --multirun overrules hydra.mode=RUN: this is a sweep\n");
  return flags.multirun || configured_mode == "MULTIRUN";
}

}  // namespace canvaslab
