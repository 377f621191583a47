// What a call is refused for.
#pragma once

#include <string>

#include "core/error.h"

namespace canvaslab {

// The message of the ConfigurationError that the call throws, or "accepted".
template <class Call>
std::string complaint(Call call) {
  try {
    call();
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace canvaslab
