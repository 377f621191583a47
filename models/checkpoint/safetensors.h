// Reading and writing safetensors files. Reading maps the file into memory: tensors are views of it, and
// nothing is read from the disk before it is used.
#pragma once

#include <ATen/ATen.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "models/checkpoint/safetensors_header.h"

namespace canvaslab {

using TensorMap = std::map<std::string, at::Tensor>;

class SafetensorsFile {
 public:
  // Maps the file and checks its whole header. Throws Error (see parse_safetensors_header), also when the
  // file is not there (then with the nearest name beside it).
  explicit SafetensorsFile(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  const SafetensorsHeader& header() const { return header_; }

  // The tensor, on the CPU. It keeps the mapping alive, also after this object is gone. Writing into it
  // changes this process's memory only, never the file. A copy is made where the data is not aligned to its
  // element type, and for BOOL. Throws Error with the nearest name when there is no such tensor.
  at::Tensor tensor(const std::string& name) const;

  TensorMap tensors() const;  // all of them

 private:
  struct Mapping;
  std::filesystem::path path_;
  std::shared_ptr<Mapping> mapping_;
  SafetensorsHeader header_;
};

// Every tensor of a file.
TensorMap read_safetensors(const std::filesystem::path& path);

// Writes the file byte for byte as the safetensors library would, to a temporary name that is renamed into
// place. Throws Error when a tensor's type has no name in the format or the system refuses.
void write_safetensors(const std::filesystem::path& path, const TensorMap& tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace canvaslab
