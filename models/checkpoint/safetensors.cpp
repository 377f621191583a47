#include "models/checkpoint/safetensors.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"
#include "core/nearest.h"
#include "models/checkpoint/atomic_file.h"

namespace canvaslab {
namespace {

std::string nearest_neighbour(const std::filesystem::path& path) {
  std::vector<std::string> names;
  std::error_code ignored;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    names.push_back(entry.path().filename().string());
  }
  return did_you_mean(path.filename().string(), names);
}

}  // namespace

// Private and writable: a write into a tensor must neither crash nor reach the file.
struct SafetensorsFile::Mapping {
  explicit Mapping(const std::filesystem::path& path) {
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
      const std::string reason = std::strerror(errno);
      throw Error(fmt::format("{}: expected a readable file, found: {}{}", path.string(), reason,
                              nearest_neighbour(path)));
    }
    struct stat status = {};
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
      close(descriptor);
      throw Error(fmt::format("{}: expected a file, found something else", path.string()));
    }
    size = static_cast<size_t>(status.st_size);
    void* mapped =
        size == 0 ? nullptr
                  : mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, descriptor, 0);
    close(descriptor);
    if (mapped == MAP_FAILED)
      throw Error(fmt::format("{}: cannot be mapped: {}", path.string(), std::strerror(errno)));
    data = static_cast<char*>(mapped);
  }
  ~Mapping() {
    if (data != nullptr) munmap(data, size);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  char* data = nullptr;
  size_t size = 0;
};

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path)
    : path_(path),
      mapping_(std::make_shared<Mapping>(path)),
      header_(parse_safetensors_header({mapping_->data, mapping_->size}, mapping_->size, path.string())) {}

at::Tensor SafetensorsFile::tensor(const std::string& name) const {
  const auto found = header_.tensors.find(name);
  if (found == header_.tensors.end()) {
    std::vector<std::string> names;
    for (const auto& [known, place] : header_.tensors) names.push_back(known);
    throw Error(fmt::format("{}: expected a tensor '{}', found none{}", path_.string(), name,
                            did_you_mean(name, names)));
  }
  const TensorPlace& place = found->second;
  if (place.begin == place.end) return at::empty(place.shape, place.dtype);
  char* data = mapping_->data + header_.data_offset + place.begin;
  const auto keep = [mapping = mapping_](void*) {};
  if (place.dtype == at::kBool) return at::from_blob(data, place.shape, keep, at::kByte).ne(0);
  if (reinterpret_cast<std::uintptr_t>(data) % c10::elementSize(place.dtype) != 0) {
    at::Tensor copy = at::empty(place.shape, place.dtype);
    std::memcpy(copy.data_ptr(), data, place.end - place.begin);
    return copy;
  }
  return at::from_blob(data, place.shape, keep, place.dtype);
}

TensorMap SafetensorsFile::tensors() const {
  TensorMap all;
  for (const auto& [name, place] : header_.tensors) all.emplace(name, tensor(name));
  return all;
}

TensorMap read_safetensors(const std::filesystem::path& path) {
  return SafetensorsFile(path).tensors();
}

void write_safetensors(const std::filesystem::path& path, const TensorMap& tensors,
                       const std::map<std::string, std::string>& metadata) {
  SafetensorsHeader header;
  header.metadata = metadata;
  for (const auto& [name, tensor] : tensors) {
    if (!tensor.defined() || !safetensors_dtype_name(tensor.scalar_type()) ||
        tensor.layout() != at::kStrided) {
      throw Error(fmt::format("{}: {}: expected a dense tensor of a type that safetensors knows, found {}",
                              path.string(), name,
                              tensor.defined() ? tensor.toString() : "an undefined one"));
    }
    header.tensors[name] = {tensor.scalar_type(), tensor.sizes().vec(), 0, 0};
  }
  AtomicFile file(path);
  file.write(format_safetensors_header(header));
  for (const std::string& name : lay_out(header.tensors)) {
    const at::Tensor contiguous = tensors.at(name).detach().cpu().contiguous();
    file.write(contiguous.const_data_ptr(), contiguous.nbytes());
  }
  file.commit();
}

}  // namespace canvaslab
