// Makes any bytes into text that an HDF5 UTF-8 string can hold.
#pragma once

#include <string>
#include <string_view>

namespace canvaslab {

// `text` with every byte that isn't part of valid UTF-8, and every NUL (which would end the string), replaced
// by U+FFFD. Byte-level tokens can produce either.
std::string storable_text(std::string_view text);

}  // namespace canvaslab
