// Parts on disk, from the first to trace.h5.
#include "core/trace/part_store.h"

#include <algorithm>
#include <array>

#include "core/error.h"

namespace canvaslab {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kPartsJoined = 16;
// A reader that lists the folder just when it is replaced must not see it being emptied: a file that it lists
// is either there or, as a sign to list again, not.
constexpr std::chrono::seconds kGrace{1};
// The upper ends of the sizes that count as "about the same".
constexpr std::array<std::uintmax_t, 3> kSizes{256u << 10, 4u << 20, 64u << 20};

std::vector<fs::path> paths_of(const std::vector<Part>& parts) {
  std::vector<fs::path> paths;
  for (const Part& part : parts) paths.push_back(part.path);
  return paths;
}

// The file appears under its name once it is complete and on the disk.
template <class Write>
void write_and_put_in_place(const fs::path& path, Write write) {
  const fs::path unfinished = unfinished_path(path);
  try {
    write(unfinished);
    synchronize(unfinished);
  } catch (const Error&) {
    remove_everything(unfinished);
    throw;
  }
  rename_durably(unfinished, path);
}

// Lets others use HDF5 between slices: a second run in this process must keep its own pace.
void merge_parts(const std::vector<fs::path>& parts, const fs::path& output, const TraceHeader& header) {
  std::unique_lock lock(hdf5::library_mutex());
  TraceMerge merge(parts, output, header);
  while (merge.advance()) {
    lock.unlock();
    lock.lock();
  }
}

}  // namespace

PartStore::PartStore(TraceFolder folder, TraceHeader header)
    : folder_(std::move(folder)), header_(std::move(header)), parts_(list_parts(folder_.parts())) {
  fs::create_directories(folder_.parts());
  if (!parts_.empty()) next_number_ = parts_.back().number + 1;
}

PartStore::~PartStore() {
  try {
    abandon_compaction();
  } catch (const std::exception&) {
    // What is left over is never read, and the next writer removes it.
  }
}

void PartStore::write(const TraceBlock& block) {
  const fs::path path = part_path(folder_.parts(), next_number_);
  write_and_put_in_place(path, [&](const fs::path& unfinished) {
    const std::scoped_lock lock(hdf5::library_mutex());
    write_trace_file(unfinished, header_, block);
  });
  parts_.push_back({path, next_number_++, fs::file_size(path)});
}

bool PartStore::choose_parts() {
  std::uintmax_t smallest = 0;
  for (const std::uintmax_t largest : kSizes) {
    joining_.clear();
    for (const Part& part : parts_) {
      if (part.bytes >= smallest && part.bytes < largest && joining_.size() < kPartsJoined)
        joining_.push_back(part);
    }
    if (joining_.size() == kPartsJoined) return true;
    smallest = largest;
  }
  joining_.clear();
  return false;
}

bool PartStore::compact() {
  if (!can_compact_) return false;
  try {
    return compact_slice();
  } catch (const Error&) {
    // The parts are untouched and joining them only saves files; if the disk is full, the next part says so.
    can_compact_ = false;
    abandon_compaction();
    return false;
  }
}

bool PartStore::compact_slice() {
  if (compaction_ == nullptr) {
    if (Clock::now() < discard_after_ || !choose_parts()) return false;
    remove_everything(folder_.next());
    fs::create_directory(folder_.next());
    joined_number_ = next_number_++;
    const std::scoped_lock lock(hdf5::library_mutex());
    compaction_ =
        std::make_unique<TraceMerge>(paths_of(joining_), part_path(folder_.next(), joined_number_), header_);
    return true;
  }
  {
    const std::scoped_lock lock(hdf5::library_mutex());
    if (compaction_->advance()) return true;
    compaction_ = nullptr;
  }
  put_in_place();
  return true;
}

void PartStore::put_in_place() {
  const fs::path joined = part_path(folder_.next(), joined_number_);
  synchronize(joined);
  std::vector<Part> remaining{
      {part_path(folder_.parts(), joined_number_), joined_number_, fs::file_size(joined)}};
  for (const Part& part : parts_) {
    const auto same = [&part](const Part& other) { return other.number == part.number; };
    if (std::any_of(joining_.begin(), joining_.end(), same)) continue;
    can_compact_ = can_compact_ && link_file(part.path, folder_.next() / part.path.filename());
    remaining.push_back(part);
  }
  synchronize(folder_.next());
  can_compact_ = can_compact_ && exchange_folders(folder_.parts(), folder_.next());
  discard_after_ = Clock::now() + kGrace;
  joining_.clear();
  if (!can_compact_) return;
  std::sort(remaining.begin(), remaining.end(),
            [](const Part& a, const Part& b) { return a.number < b.number; });
  parts_ = std::move(remaining);
}

void PartStore::abandon_compaction() {
  {
    const std::scoped_lock lock(hdf5::library_mutex());
    compaction_ = nullptr;
  }
  joining_.clear();
  remove_everything(folder_.next());
}

void PartStore::finish(const TraceBlock& rest) {
  abandon_compaction();
  TraceHeader header = header_;
  header.complete = true;
  write_and_put_in_place(folder_.whole(), [&](const fs::path& unfinished) {
    if (!parts_.empty()) return merge_parts(paths_of(parts_), unfinished, header);
    const std::scoped_lock lock(hdf5::library_mutex());
    write_trace_file(unfinished, header, rest);
  });
  if (parts_.empty()) return remove_everything(folder_.parts());
  rename_durably(folder_.parts(), folder_.next());  // so that nobody sees some of them without the others
  remove_everything(folder_.next());
  parts_.clear();
}

}  // namespace canvaslab
