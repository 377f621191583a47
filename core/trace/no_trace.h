// A trace writer that records nothing.
#pragma once

#include <memory>

#include "core/trace/trace_writer.h"

namespace canvaslab {

std::unique_ptr<TraceWriter> open_no_trace();

}  // namespace canvaslab
