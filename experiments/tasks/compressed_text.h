// The format of the Debian package bible-kjv-text (/usr/lib/bible.data): a table of windows of 64 KiB, each
// compressed on its own as the Unix program `compress` does (LZW with codes of 9 to 16 bits).
#pragma once

#include <string>
#include <string_view>

namespace canvaslab {

// Whether the bytes of a file are of that format.
bool is_compressed_text(std::string_view bytes);

// The whole text. ConfigurationError that names `file` where the bytes are damaged or cut off.
std::string decompress_text(std::string_view bytes, const std::string& file);

// What `compress -b 16` made of a text, without its header of 3 bytes. Nothing past a clear code is read: the
// windows end with one. Error when a code is met that cannot be there.
std::string decompress_lzw(std::string_view codes);

}  // namespace canvaslab
