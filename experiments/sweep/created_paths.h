// What was really created on the disk, so that it and nothing else can be taken back.
#pragma once

#include <filesystem>
#include <vector>

namespace canvaslab {

class CreatedPaths {
 public:
  // Makes the folders of a path that are missing. ConfigurationError when one cannot be made.
  void make_folders(const std::filesystem::path& folder);

  // Makes a folder that must not be there yet, everything in which is going to be ours. False when it is.
  // ConfigurationError when it cannot be made.
  bool make_own_folder(const std::filesystem::path& folder);

  // Before a file is written: notes it, unless it is there already.
  void expect_file(const std::filesystem::path& file);

  // Removes the files, the own folders with what is in them, and of the other folders those that are empty.
  void take_back();

 private:
  struct Created {
    std::filesystem::path path;
    bool own = false;
  };
  std::vector<Created> all_;
};

}  // namespace canvaslab
