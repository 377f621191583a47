// The three standard streams of a program that may be started with some of them closed, or full.
#pragma once

#include <string_view>

namespace canvaslab {

// Opens /dev/null in place of every standard stream that is closed: otherwise the next file that the program
// opens would take the stream's number, and messages would be written into it.
void open_standard_streams();

// Writes to the standard error stream. A message that cannot be written is lost; it ends nothing.
void tell(std::string_view text);

}  // namespace canvaslab
