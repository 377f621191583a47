// System calls behind the trace's folder.
#include "core/trace/trace_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "core/error.h"

namespace canvaslab {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kPrefix = "part-";
constexpr std::string_view kSuffix = ".h5";

[[noreturn]] void fail(const char* action, const fs::path& path) {
  const int reason = errno;
  throw Error(fmt::format("cannot {} {}: {}", action, path.string(), std::strerror(reason)));
}

// Closes its descriptor on every way out.
struct Descriptor {
  int value;
  ~Descriptor() {
    if (value >= 0) ::close(value);
  }
};

std::optional<std::uint64_t> part_number(const std::string& name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return std::nullopt;
  const char* const first = name.data() + kPrefix.size();
  const char* const last = name.data() + name.size() - kSuffix.size();
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(first, last, number);
  return error == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

}  // namespace

std::vector<Part> list_parts(const fs::path& parts_folder) {
  std::vector<Part> parts;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parts_folder, error)) {
    const std::optional<std::uint64_t> number = part_number(entry.path().filename().string());
    const std::uintmax_t bytes = number ? entry.file_size(error) : 0;
    if (number && !error) parts.push_back({entry.path(), *number, bytes});
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    throw Error(fmt::format("cannot list {}: {}", parts_folder.string(), error.message()));
  }
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.number < b.number; });
  return parts;
}

fs::path part_path(const fs::path& parts_folder, std::uint64_t number) {
  return parts_folder / fmt::format("{}{:05}{}", kPrefix, number, kSuffix);
}

fs::path unfinished_path(const fs::path& path) {
  return path.parent_path() / fmt::format(".{}.unfinished", path.filename().string());
}

void synchronize(const fs::path& file_or_folder) {
  const Descriptor file{::open(file_or_folder.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.value < 0 || ::fsync(file.value) != 0) fail("write", file_or_folder);
}

void rename_durably(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) fail("rename to", to);
  synchronize(to.parent_path());
}

bool link_file(const fs::path& from, const fs::path& to) {
  if (::link(from.c_str(), to.c_str()) == 0) return true;
  if (errno == EPERM || errno == ENOTSUP || errno == EMLINK) return false;
  fail("link", to);
}

void remove_everything(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) throw Error(fmt::format("cannot remove {}: {}", path.string(), error.message()));
}

bool exchange_folders(const fs::path& a, const fs::path& b) {
  if (::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) != 0) {
    if (errno == EINVAL || errno == ENOSYS || errno == ENOTSUP) return false;
    fail("exchange", a);
  }
  synchronize(a.parent_path());
  return true;
}

FolderIdentity::FolderIdentity(fs::path path)
    : path_(std::move(path)), descriptor_(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

FolderIdentity::~FolderIdentity() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool FolderIdentity::unchanged() const {
  struct stat held {};
  struct stat named {};
  const bool there = ::stat(path_.c_str(), &named) == 0;
  if (descriptor_ < 0 || !there) return descriptor_ < 0 && !there;
  return ::fstat(descriptor_, &held) == 0 && held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

std::optional<FolderLock> FolderLock::try_lock(const fs::path& path) {
  while (true) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) fail("create", path);
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      const int reason = errno;
      ::close(descriptor);
      errno = reason;
      if (reason == EWOULDBLOCK) return std::nullopt;
      fail("lock", path);
    }
    // The previous holder removes the file: what was locked must still be what the name means.
    struct stat locked {};
    struct stat named {};
    if (::fstat(descriptor, &locked) == 0 && ::stat(path.c_str(), &named) == 0 &&
        locked.st_ino == named.st_ino) {
      return FolderLock(path, descriptor);
    }
    ::close(descriptor);
  }
}

FolderLock::FolderLock(fs::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

FolderLock::~FolderLock() {
  if (descriptor_ < 0) return;
  ::unlink(path_.c_str());
  ::close(descriptor_);
}

}  // namespace canvaslab
