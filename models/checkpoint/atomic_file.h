// A file that appears under its name complete or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace canvaslab {

// Writes to a temporary name beside `path`. `commit` flushes it to the disk and renames it into place;
// without commit the destructor removes it and whatever had the name stays as it was. Throws Error when the
// system refuses.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void commit();

 private:
  std::filesystem::path path_, temporary_;
  int descriptor_ = -1;
};

// Writes a whole text in that way.
void write_atomically(const std::filesystem::path& path, std::string_view text);

// Makes what happened to the names in `folder` (files created, renamed) survive a power cut.
void flush_folder(const std::filesystem::path& folder);

}  // namespace canvaslab
