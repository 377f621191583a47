// The files of a trace in a run folder, and the file operations that survive a kill between any two of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace canvaslab {

// RUN/trace.h5               the finished trace
// RUN/trace/part-00001.h5    parts while the run is going; together they hold each row once, at every moment
// RUN/.trace-next/           the next state of RUN/trace/, being prepared; never read
// RUN/trace.lock             held by the writer
struct TraceFolder {
  std::filesystem::path run;

  std::filesystem::path whole() const { return run / "trace.h5"; }
  std::filesystem::path parts() const { return run / "trace"; }
  std::filesystem::path next() const { return run / ".trace-next"; }
  std::filesystem::path lock() const { return run / "trace.lock"; }
};

struct Part {
  std::filesystem::path path;
  std::uint64_t number = 0;
  std::uintmax_t bytes = 0;
};

// The parts in a folder, by number; none if the folder isn't there.
std::vector<Part> list_parts(const std::filesystem::path& parts_folder);
std::filesystem::path part_path(const std::filesystem::path& parts_folder, std::uint64_t number);

// The name under which a file is written before it is renamed into place.
std::filesystem::path unfinished_path(const std::filesystem::path& path);

// All of these throw Error with the file and the system's reason.
void synchronize(const std::filesystem::path& file_or_folder);                            // fsync
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);  // atomic
void remove_everything(const std::filesystem::path& path);                                // if it is there
// A hard link. False where the file system has none.
bool link_file(const std::filesystem::path& from, const std::filesystem::path& to);
// Swaps two folders in one atomic step. False where the file system cannot.
bool exchange_folders(const std::filesystem::path& a, const std::filesystem::path& b);

// The folder that a path means now. Told apart from any other one that takes its place while this exists.
class FolderIdentity {
 public:
  explicit FolderIdentity(std::filesystem::path path);  // the path may mean nothing
  FolderIdentity(const FolderIdentity&) = delete;
  FolderIdentity& operator=(const FolderIdentity&) = delete;
  ~FolderIdentity();
  bool unchanged() const;

 private:
  std::filesystem::path path_;
  int descriptor_;  // held open, so that no new folder gets its inode
};

// An exclusive lock on a file. The system releases it when the process ends, however it ends.
class FolderLock {
 public:
  // Empty when another process or another lock of this one holds it.
  static std::optional<FolderLock> try_lock(const std::filesystem::path& path);
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  ~FolderLock();  // removes the file

 private:
  FolderLock(std::filesystem::path path, int descriptor);
  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace canvaslab
