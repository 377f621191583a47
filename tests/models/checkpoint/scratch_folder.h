// A folder that a test may fill and that disappears with it, and the small edits that break checkpoints.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "core/error.h"

namespace canvaslab {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "canvaslab-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::filesystem::path golden(const std::string& name) {
  return std::filesystem::path(CANVASLAB_TEST_DATA) / "golden" / name;
}

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

inline void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Replaces the first occurrence, which must be there.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// A writable copy of a golden checkpoint, without the recorded values.
inline std::filesystem::path copy_checkpoint(const std::string& name, const ScratchFolder& scratch) {
  const std::filesystem::path folder = scratch.path() / name;
  std::filesystem::create_directory(folder);
  for (const auto& entry : std::filesystem::directory_iterator(golden(name))) {
    const std::string file = entry.path().filename();
    if (file.starts_with("model") || file == "config.json" || file == "generation_config.json") {
      std::filesystem::copy_file(entry.path(), folder / file);
      std::filesystem::permissions(folder / file, std::filesystem::perms::owner_write,
                                   std::filesystem::perm_options::add);
    }
  }
  return folder;
}

// Expects `action` to throw an ErrorType whose text contains every one of `parts`.
template <typename ErrorType = Error>
void expect_error(const std::function<void()>& action, const std::vector<std::string>& parts) {
  try {
    action();
    FAIL() << "nothing was refused; expected an error about " << parts.front();
  } catch (const ErrorType& error) {
    for (const std::string& part : parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
          << "'" << part << "' is not in: " << error.what();
    }
  }
}

}  // namespace canvaslab
