#include "models/checkpoint/safetensors_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/error.h"
#include "core/nearest.h"
#include "models/checkpoint/json_file.h"

static_assert(std::endian::native == std::endian::little,
              "safetensors data is little-endian and is mapped as it is");

namespace canvaslab {
namespace {

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMostHeaderBytes = 100'000'000;  // the safetensors library's own limit
constexpr size_t kMostDimensions = 64;

struct DtypeName {
  std::string_view name;
  at::ScalarType dtype;
};

// In the order in which the safetensors library lays tensors out in a file.
constexpr std::array<DtypeName, 10> kDtypes = {{{"I64", at::kLong},
                                                {"F64", at::kDouble},
                                                {"F32", at::kFloat},
                                                {"I32", at::kInt},
                                                {"BF16", at::kBFloat16},
                                                {"F16", at::kHalf},
                                                {"I16", at::kShort},
                                                {"I8", at::kChar},
                                                {"U8", at::kByte},
                                                {"BOOL", at::kBool}}};

[[noreturn]] void refuse(const std::string& file, const std::string& tensor, const std::string& expected,
                         const std::string& found) {
  throw Error(fmt::format("{}: {}: expected {}, found {}", file, tensor.empty() ? "header" : tensor, expected,
                          found));
}

// A number of bytes or elements: a JSON integer that is not negative and fits into int64.
std::uint64_t count(const Json& value, const std::string& file, const std::string& tensor,
                    const std::string& what) {
  const bool fits = value.is_number_integer() &&
                    (value.is_number_unsigned() || value.get<std::int64_t>() >= 0) &&
                    value.get<std::uint64_t>() <= std::uint64_t(std::numeric_limits<std::int64_t>::max());
  if (!fits) refuse(file, tensor, fmt::format("{} that are integers from 0", what), describe(value));
  return value.get<std::uint64_t>();
}

const Json& field(const Json& entry, const std::string& key, const std::string& file,
                  const std::string& tensor) {
  const auto found = entry.find(key);
  if (found == entry.end()) refuse(file, tensor, "dtype, shape and data_offsets", "no " + key);
  return *found;
}

at::ScalarType parse_dtype(const Json& value, const std::string& file, const std::string& tensor) {
  std::vector<std::string> names;
  for (const DtypeName& known : kDtypes) names.emplace_back(known.name);
  const std::string expected = fmt::format("a dtype among {}", fmt::join(names, ", "));
  if (!value.is_string()) refuse(file, tensor, expected, describe(value));
  const auto& name = value.get_ref<const std::string&>();
  const auto dtype = safetensors_dtype(name);
  if (!dtype) refuse(file, tensor, expected, fmt::format("'{}'{}", name, did_you_mean(name, names)));
  return *dtype;
}

TensorPlace parse_tensor(const Json& entry, const std::string& file, const std::string& tensor) {
  if (!entry.is_object())
    refuse(file, tensor, "an object with dtype, shape and data_offsets", describe(entry));
  TensorPlace place;
  place.dtype = parse_dtype(field(entry, "dtype", file, tensor), file, tensor);

  const Json& shape = field(entry, "shape", file, tensor);
  if (!shape.is_array() || shape.size() > kMostDimensions) {
    refuse(file, tensor, fmt::format("a shape of at most {} sizes", kMostDimensions), describe(shape));
  }
  std::uint64_t bytes = c10::elementSize(place.dtype);
  bool overflow = false;
  for (const Json& size : shape) {
    const std::uint64_t elements = count(size, file, tensor, "sizes");
    place.shape.push_back(static_cast<std::int64_t>(elements));
    overflow = __builtin_mul_overflow(bytes, elements, &bytes) || overflow;
  }
  if (overflow || bytes > std::uint64_t(std::numeric_limits<std::int64_t>::max())) {
    refuse(file, tensor, "a shape of fewer than 2^63 bytes",
           fmt::format("[{}]", fmt::join(place.shape, ", ")));
  }

  const Json& offsets = field(entry, "data_offsets", file, tensor);
  if (!offsets.is_array() || offsets.size() != 2) {
    refuse(file, tensor, "data_offsets [begin, end]", describe(offsets));
  }
  place.begin = count(offsets[0], file, tensor, "data_offsets");
  place.end = count(offsets[1], file, tensor, "data_offsets");
  if (place.end < place.begin || place.end - place.begin != bytes) {
    refuse(file, tensor,
           fmt::format("{} bytes ({} of shape [{}])", bytes, *safetensors_dtype_name(place.dtype),
                       fmt::join(place.shape, ", ")),
           fmt::format("data_offsets [{}, {}]", place.begin, place.end));
  }
  return place;
}

// The tensors must follow each other without overlap or hole and end where the file ends.
void check_coverage(const SafetensorsHeader& header, std::uint64_t data_size, const std::string& file) {
  std::vector<std::pair<const TensorPlace*, const std::string*>> order;
  for (const auto& [name, place] : header.tensors) order.emplace_back(&place, &name);
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first->begin, a.first->end) < std::tie(b.first->begin, b.first->end);
  });
  std::uint64_t covered = 0;
  for (const auto& [place, name] : order) {
    const auto found = [&] { return fmt::format("data_offsets [{}, {}]", place->begin, place->end); };
    if (place->begin < covered)
      refuse(file, *name, fmt::format("data that begins at {}", covered), found() + " (overlap)");
    if (place->begin > covered)
      refuse(file, *name, fmt::format("data that begins at {}", covered), found() + " (a hole)");
    if (place->end > data_size) {
      refuse(file, *name, fmt::format("data inside the file's {} bytes of data", data_size), found());
    }
    covered = place->end;
  }
  if (covered != data_size) {
    refuse(file, "", fmt::format("tensors that fill the {} bytes of data", data_size),
           fmt::format("tensors that end at {}", covered));
  }
}

std::map<std::string, std::string> parse_metadata(const Json& value, const std::string& file) {
  std::map<std::string, std::string> metadata;
  if (!value.is_object()) refuse(file, "__metadata__", "an object of strings", describe(value));
  for (const auto& [key, text] : value.items()) {
    if (!text.is_string())
      refuse(file, "__metadata__", "an object of strings", describe(text) + " as " + key);
    metadata[key] = text.get<std::string>();
  }
  return metadata;
}

Json parse_header_json(std::string_view text, const std::string& file) {
  try {
    return parse_json(text, file);
  } catch (const ConfigurationError& error) {
    throw Error(error.what());
  }
}

}  // namespace

std::optional<std::string_view> safetensors_dtype_name(at::ScalarType dtype) {
  const auto found =
      std::find_if(kDtypes.begin(), kDtypes.end(), [&](auto& known) { return known.dtype == dtype; });
  return found == kDtypes.end() ? std::nullopt : std::optional(found->name);
}

std::optional<at::ScalarType> safetensors_dtype(std::string_view name) {
  const auto found =
      std::find_if(kDtypes.begin(), kDtypes.end(), [&](auto& known) { return known.name == name; });
  return found == kDtypes.end() ? std::nullopt : std::optional(found->dtype);
}

SafetensorsHeader parse_safetensors_header(std::string_view bytes, std::uint64_t file_size,
                                           const std::string& file) {
  std::uint64_t length = 0;
  if (file_size < kLengthBytes || bytes.size() < kLengthBytes) {
    refuse(file, "", "at least 8 bytes (the header's length)", fmt::format("a file of {} bytes", file_size));
  }
  std::memcpy(&length, bytes.data(), kLengthBytes);
  const std::uint64_t most =
      std::min({file_size - kLengthBytes, bytes.size() - kLengthBytes, kMostHeaderBytes});
  if (length > most)
    refuse(file, "", fmt::format("a header of at most {} bytes", most), fmt::format("{} bytes", length));

  const Json json = parse_header_json(bytes.substr(kLengthBytes, length), file);
  if (!json.is_object()) refuse(file, "", "a JSON object", describe(json));
  SafetensorsHeader header;
  header.data_offset = kLengthBytes + length;
  for (const auto& [name, entry] : json.items()) {
    if (name == "__metadata__") {
      header.metadata = parse_metadata(entry, file);
    } else {
      header.tensors.emplace(name, parse_tensor(entry, file, name));
    }
  }
  check_coverage(header, file_size - header.data_offset, file);
  return header;
}

std::string format_safetensors_header(const SafetensorsHeader& header) {
  Json json = Json::object();
  if (!header.metadata.empty()) json["__metadata__"] = header.metadata;
  std::map<std::string, TensorPlace> tensors = header.tensors;
  for (const std::string& name : lay_out(tensors)) {
    const TensorPlace& place = tensors[name];
    json[name] = {{"dtype", *safetensors_dtype_name(place.dtype)},
                  {"shape", place.shape},
                  {"data_offsets", {place.begin, place.end}}};
  }
  std::string text = json.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  const std::uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), kLengthBytes) + text;
}

std::vector<std::string> lay_out(std::map<std::string, TensorPlace>& tensors) {
  std::vector<std::string> names;
  for (const auto& [name, place] : tensors) names.push_back(name);
  const auto rank = [&](const std::string& name) {
    return std::find_if(kDtypes.begin(), kDtypes.end(),
                        [&](auto& known) { return known.dtype == tensors[name].dtype; });
  };
  std::stable_sort(names.begin(), names.end(),
                   [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
  std::uint64_t offset = 0;
  for (const std::string& name : names) {
    TensorPlace& place = tensors[name];
    std::uint64_t bytes = c10::elementSize(place.dtype);
    for (const std::int64_t size : place.shape) bytes *= static_cast<std::uint64_t>(size);
    place.begin = offset;
    place.end = offset += bytes;
  }
  return names;
}

}  // namespace canvaslab
