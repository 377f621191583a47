// Names of the trace levels.
#include <fmt/format.h>

#include <vector>

#include "core/error.h"
#include "core/nearest.h"
#include "core/trace/trace_records.h"

namespace canvaslab {
namespace {

const std::vector<std::string>& level_names() {
  static const auto* const names = new std::vector<std::string>{"none", "summary", "steps"};
  return *names;
}

}  // namespace

TraceLevel parse_trace_level(std::string_view name) {
  for (size_t i = 0; i < level_names().size(); ++i) {
    if (level_names()[i] == name) return static_cast<TraceLevel>(i);
  }
  throw ConfigurationError(fmt::format("unknown trace level '{}': expected none, summary or steps{}", name,
                                       did_you_mean(name, level_names())));
}

std::string trace_level_name(TraceLevel level) {
  return level_names()[static_cast<size_t>(level)];
}

}  // namespace canvaslab
