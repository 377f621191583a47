// The header of a safetensors file: which tensors lie where. Parsing checks everything that can be known
// without looking at the tensors' bytes, so that no later access can leave the file.
#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace canvaslab {

struct TensorPlace {
  at::ScalarType dtype = at::ScalarType::Undefined;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;  // bytes, from the start of the data behind the header

  bool operator==(const TensorPlace&) const = default;
};

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  std::map<std::string, TensorPlace> tensors;
  std::uint64_t data_offset = 0;  // bytes from the start of the file to the data
};

// The format's name of an element type ("BF16"), or nullopt when the format has none; and the reverse.
std::optional<std::string_view> safetensors_dtype_name(at::ScalarType dtype);
std::optional<at::ScalarType> safetensors_dtype(std::string_view name);

// Parses the start of a file of `file_size` bytes; `bytes` are its first bytes, at least the whole header.
// Throws Error naming `file`, the tensor, what was expected and what was found: a file too short, a length
// beyond the file, invalid JSON, repeated names, an unknown dtype, a shape that overflows, a size other than
// shape x dtype, and tensors that overlap, leave holes, or do not fill the file.
SafetensorsHeader parse_safetensors_header(std::string_view bytes, std::uint64_t file_size,
                                           const std::string& file);

// The bytes before the data: length and JSON text, padded to a multiple of 8.
std::string format_safetensors_header(const SafetensorsHeader& header);

// Lays tensors out as the safetensors library does: wider element types first, then by name. Sets begin and
// end. Returns the names in the order of their data.
std::vector<std::string> lay_out(std::map<std::string, TensorPlace>& tensors);

}  // namespace canvaslab
